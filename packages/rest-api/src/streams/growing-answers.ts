import type { ChatStatus } from '@aizuchi/shared/contract/chat';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import type { MembershipKey } from '@aizuchi/shared/core/rules/work-key';

export interface Discarded extends MembershipKey {
  readonly messageId: string;
}

/** A piece that comes later than this many answers was under way for very long. */
const REMEMBERED = 1_000;

const WRITING: ReadonlySet<ChatStatus> = new Set(['busy', 'waiting_for_person']);

/**
 * What readers see of a growing answer: only steps, or its text, too. `waiting`: its text, and it waits for a person
 * while another one grows.
 */
type Seen = 'steps' | 'text' | 'waiting';

interface Growing {
  readonly answer: Discarded;
  seen: Seen;
}

/**
 * The partial answers that readers see. A partial answer is discarded when its agent ends before it becomes a message, or
 * starts another answer and does not wait for a person. Its text is stored nowhere, so readers must be told that it is
 * discarded. Of answers with steps the log tells it too, except when an agent just stops.
 */
export class GrowingAnswers {
  /** By membership, then by message. Several grow when one of them waits for a person. */
  readonly #growing = new Map<string, Map<string, Growing>>();
  /** The newest that became messages or were discarded, the oldest first. */
  readonly #over = new Set<string>();

  /** A piece of it comes too late: readers have the whole answer, or were told that it is discarded. */
  isOver(messageId: string): boolean {
    return this.#over.has(messageId);
  }

  /**
   * Returns the earlier partial answers of the same agent whose text was growing until now. They are forgotten: give
   * back with `keep` those that go on.
   */
  onDelta({ projectId, agentId, messageId }: Discarded): Discarded[] {
    const answers = this.#of({ projectId, agentId });
    const before = [...answers.values()].filter(
      ({ seen, answer }) => seen === 'text' && answer.messageId !== messageId,
    );
    for (const { answer } of before) answers.delete(answer.messageId);
    this.#note(answers, { projectId, agentId, messageId }).seen = 'text';
    return before.map(({ answer }) => answer);
  }

  keep(answer: Discarded, seen: Seen): void {
    this.#note(this.#of(answer), answer).seen = seen;
  }

  /** The answers that end with these frames, which may hold an answer and the session state after it in any order. */
  onFrames(frames: readonly { readonly projectId: string; readonly body: ProjectFrameBody }[]): Discarded[] {
    for (const { projectId, body } of frames) {
      // An answer in a conversation may be of a session whose state no frame tells; the log discards it by itself.
      if (body.type !== 'message_step' || body.conversationId !== undefined) continue;
      const { agentId, messageId } = body;
      this.#note(this.#of({ projectId, agentId }), { projectId, agentId, messageId });
    }
    const settled = frames.flatMap(({ body }) => {
      if (body.type === 'message') return [body.message.id];
      return body.type === 'message_discarded' ? [body.messageId] : [];
    });
    this.#remember(settled);
    if (this.#growing.size === 0) return [];
    for (const [key, answers] of this.#growing) {
      for (const id of settled) answers.delete(id);
      if (answers.size === 0) this.#growing.delete(key);
    }
    return frames.flatMap(({ projectId, body }) => {
      if (body.type !== 'session_changed' || WRITING.has(body.chatStatus)) return [];
      const key = `${projectId}/${body.agentId}`;
      const over = [...(this.#growing.get(key)?.values() ?? [])];
      this.#growing.delete(key);
      return over.map(({ answer }) => answer);
    });
  }

  #remember(settled: readonly string[]): void {
    for (const id of settled) this.#over.add(id);
    for (const oldest of this.#over) {
      if (this.#over.size <= REMEMBERED) return;
      this.#over.delete(oldest);
    }
  }

  #of({ projectId, agentId }: MembershipKey): Map<string, Growing> {
    const key = `${projectId}/${agentId}`;
    const answers = this.#growing.get(key) ?? new Map<string, Growing>();
    this.#growing.set(key, answers);
    return answers;
  }

  #note(answers: Map<string, Growing>, answer: Discarded): Growing {
    const growing = answers.get(answer.messageId) ?? { answer, seen: 'steps' };
    answers.set(answer.messageId, growing);
    return growing;
  }
}
