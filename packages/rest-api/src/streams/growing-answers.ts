import type { ChatStatus } from '@aizuchi/shared/contract/chat';
import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';

interface Pair {
  readonly projectId: string;
  readonly agentId: string;
}
export interface Discarded extends Pair {
  readonly messageId: string;
}

const WRITING: ReadonlySet<ChatStatus> = new Set(['busy', 'waiting_for_person']);

/**
 * Answers that readers see grow. One becomes a message, or its writer ends or begins anew without it: then it is
 * discarded, which readers must be told, for it is nowhere stored.
 */
export class GrowingAnswers {
  readonly #growing = new Map<string, Discarded>();

  /** Another one of the same agent takes the place of what it wrote before. */
  onDelta({ projectId, agentId, messageId }: Discarded): Discarded | undefined {
    const key = `${projectId}/${agentId}`;
    const before = this.#growing.get(key);
    this.#growing.set(key, { projectId, agentId, messageId });
    return before?.messageId === messageId ? undefined : before;
  }

  /** After all frames of a batch were sent: an answer and the state behind it stand in it in any order. */
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
