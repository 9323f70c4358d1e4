import type { ChatStatus } from '@aizuchi/shared/contract/chat';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import type { MembershipKey } from '@aizuchi/shared/core/rules/work-key';

export interface Discarded extends MembershipKey {
  readonly messageId: string;
}

/** A piece that comes later than this many answers was under way for very long. */
const REMEMBERED = 1_000;

const WRITING: ReadonlySet<ChatStatus> = new Set(['busy', 'waiting_for_person']);

/** A growing answer; `hasText`: readers were sent pieces of it, not only steps. */
interface Growing {
  readonly answer: Discarded;
  hasText: boolean;
}

/**
 * The partial answers that readers see. A partial answer is discarded when its agent ends, or starts another answer,
 * before it becomes a message. Its text is stored nowhere, so readers must be told that it is discarded. Of answers with
 * steps the log tells it too, except when an agent just stops.
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

  /** Returns the previous partial answer of the same agent if this delta belongs to another one. */
  onDelta({ projectId, agentId, messageId }: Discarded): Discarded | undefined {
    const answers = this.#of({ projectId, agentId });
    const before = [...answers.values()].find((one) => one.hasText && one.answer.messageId !== messageId);
    if (before) answers.delete(before.answer.messageId);
    this.#note(answers, { projectId, agentId, messageId }).hasText = true;
    return before?.answer;
  }

  /**
   * Call it after all frames of a batch were sent: a batch may hold an answer and the session state after it in any
   * order.
   */
  onFrames(frames: readonly { readonly projectId: string; readonly body: ProjectFrameBody }[]): Discarded[] {
    for (const { projectId, body } of frames) {
      if (body.type !== 'message_step') continue;
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
    const growing = answers.get(answer.messageId) ?? { answer, hasText: false };
    answers.set(answer.messageId, growing);
    return growing;
  }
}
