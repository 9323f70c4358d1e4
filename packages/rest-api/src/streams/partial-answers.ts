import type { ProjectFrameBody } from '@aizuchi/shared/contract/ws';
import type { MembershipKey } from '@aizuchi/shared/core/rules/work-key';
import type { Delta } from '@aizuchi/shared/platform/change-log/delta';
import { type Discarded, GrowingAnswers } from './growing-answers.ts';
import { type Subscription, toText } from './subscription.ts';

export interface PartialAnswersOptions {
  /** Which of these messages are stored. */
  readonly storedMessages: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Those of these members that wait for a person, or have not heard yet what the person did: their answers go on. */
  readonly membersAtCard: (members: readonly MembershipKey[]) => Promise<readonly MembershipKey[]>;
  readonly readers: (projectId: string) => Iterable<Subscription>;
  /** Ends the subscriptions of people who may not see these projects any more. */
  readonly dropUnauthorized: (projectIds: readonly string[]) => Promise<unknown>;
}

/** What is sent of answers that grow. The log does not hold their pieces. Call it inside the queue of the log. */
export class PartialAnswers {
  readonly #options: PartialAnswersOptions;
  readonly #growing = new GrowingAnswers();
  /** By message: they have ended; whether they were stored is not known yet. */
  readonly #ended = new Map<string, Discarded>();

  constructor(options: PartialAnswersOptions) {
    this.#options = options;
  }

  /** Pieces of the same moment share one check of rights. */
  async send(deltas: readonly Delta[]): Promise<void> {
    const pieces = deltas
      .filter(({ messageId }) => !this.#growing.isOver(messageId))
      .map(({ taskId, ...delta }) =>
        taskId === undefined
          ? { frame: { type: 'message_delta', ...delta } as const, before: this.#growing.onDelta(delta) }
          : { frame: { type: 'task_delta', taskId, ...delta } as const, before: [] },
      );
    const befores = pieces.flatMap(({ before }) => before);
    try {
      const replaced = await this.#notStored(befores);
      const waiting = await this.#atCard(replaced);
      await this.#options.dropUnauthorized(deltas.map(({ projectId }) => projectId));
      for (const answer of waiting) this.#growing.keep(answer, 'waiting');
      for (const { frame, before } of pieces) {
        for (const answer of before) if (replaced.has(answer) && !waiting.has(answer)) this.#discard(answer);
        this.#sendTo(frame.projectId, toText(frame));
      }
    } catch (error) {
      // The pieces are lost. That an answer is discarded is told with the next one.
      for (const answer of befores) this.#growing.keep(answer, 'text');
      throw error;
    }
  }

  /** Call it once for each frame, when it was sent. */
  note(frames: readonly { readonly projectId: string; readonly body: ProjectFrameBody }[]): void {
    for (const answer of this.#growing.onFrames(frames)) this.#ended.set(answer.messageId, answer);
  }

  /**
   * What has ended and is no message. Call it when all frames of a stretch were noted, as the session state may come before
   * the answer. After an error, call it again.
   */
  async discardEnded(): Promise<void> {
    if (this.#ended.size === 0) return;
    const discarded = await this.#notStored([...this.#ended.values()]);
    await this.#options.dropUnauthorized([...discarded].map(({ projectId }) => projectId));
    for (const answer of discarded) this.#discard(answer);
    this.#ended.clear();
  }

  /** Without those that have become messages while nobody followed their project. */
  async #notStored(answers: readonly Discarded[]): Promise<ReadonlySet<Discarded>> {
    if (answers.length === 0) return new Set();
    const stored = await this.#options.storedMessages(answers.map(({ messageId }) => messageId));
    return new Set(answers.filter(({ messageId }) => !stored.has(messageId)));
  }

  async #atCard(answers: ReadonlySet<Discarded>): Promise<ReadonlySet<Discarded>> {
    if (answers.size === 0) return new Set();
    const members = await this.#options.membersAtCard([...answers]);
    return new Set(
      [...answers].filter(({ projectId, agentId }) =>
        members.some((member) => member.projectId === projectId && member.agentId === agentId),
      ),
    );
  }

  #discard(answer: Discarded): void {
    this.#sendTo(answer.projectId, toText({ type: 'message_discarded', ...answer }));
  }

  #sendTo(projectId: string, text: string): void {
    for (const { sink } of this.#options.readers(projectId)) sink.send(text);
  }
}
