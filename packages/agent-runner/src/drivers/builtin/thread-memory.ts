import type { Message } from '@aizuchi/shared/contract/chat';
import type { Turn } from '../../driver.ts';

/** A long game in a chat, and no more. */
const MAX_REMEMBERED = 200;

/**
 * What was said in each thread, as far as this process has seen it: a turn brings the last twenty messages only.
 * Nothing depends on it: after a restart the last twenty have to do.
 */
export class ThreadMemory {
  readonly #threads = new Map<string, Message[]>();

  /** The messages before the turn's own, oldest first. */
  before(turn: Turn): readonly Message[] {
    const key = threadOf(turn);
    const known = this.#threads.get(key) ?? [];
    const asked = new Set(turn.messages.map((message) => message.id));
    const ids = new Set([...known.map((message) => message.id), ...asked]);
    const before = [...known, ...turn.context.filter((message) => !ids.has(message.id))].filter(
      (message) => !asked.has(message.id),
    );
    before.sort((one, other) => one.seq - other.seq);
    this.#threads.set(key, [...before, ...turn.messages].slice(-MAX_REMEMBERED));
    return before;
  }

  /** All that was said in a conversation, as the server has it. */
  learn(conversationId: string, messages: readonly Message[]): void {
    this.#threads.set(conversationId, [...messages]);
  }

  forget(conversationId: string): void {
    this.#threads.delete(conversationId);
  }
}

function threadOf({ source }: Turn): string {
  return source.kind === 'chat' ? 'chat' : source.conversation_id;
}
