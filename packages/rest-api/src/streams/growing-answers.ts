import type { ChatStatus } from '@aizuchi/shared/contract/chat';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import type { MembershipKey } from '@aizuchi/shared/core/rules/work-key';

export interface Discarded extends MembershipKey {
  readonly messageId: string;
}

const WRITING: ReadonlySet<ChatStatus> = new Set(['busy', 'waiting_for_person']);

/**
 * The partial answers that readers see. A partial answer is discarded when its agent ends, or starts another answer,
 * before it becomes a message. It is stored nowhere, so readers must be told that it is discarded.
 */
export class GrowingAnswers {
  readonly #growing = new Map<string, Discarded>();

  /** Returns the previous partial answer of the same agent if this delta belongs to another one. */
  onDelta({ projectId, agentId, messageId }: Discarded): Discarded | undefined {
    const key = `${projectId}/${agentId}`;
    const before = this.#growing.get(key);
    this.#growing.set(key, { projectId, agentId, messageId });
    return before?.messageId === messageId ? undefined : before;
  }

  /**
   * Call it after all frames of a batch were sent: a batch may hold an answer and the session state after it in any
   * order.
   */
  onFrames(frames: readonly { readonly projectId: string; readonly body: ProjectFrameBody }[]): Discarded[] {
    if (this.#growing.size === 0) return [];
    const stored = new Set(frames.flatMap(({ body }) => (body.type === 'message' ? [body.message.id] : [])));
    for (const [key, { messageId }] of this.#growing) if (stored.has(messageId)) this.#growing.delete(key);
    return frames.flatMap(({ projectId, body }) => {
      if (body.type !== 'session_changed' || WRITING.has(body.chatStatus)) return [];
      const key = `${projectId}/${body.agentId}`;
      const over = this.#growing.get(key);
      this.#growing.delete(key);
      return over ? [over] : [];
    });
  }
}
