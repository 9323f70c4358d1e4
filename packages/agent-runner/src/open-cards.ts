import type { Message } from '@aizuchi/shared/contract/chat';
import { beatDuringTurn } from './heartbeat.ts';
import type { Batch, TurnContext } from './turn-context.ts';

/** A batch whose answer waits for a person, and the batch that the answer names. */
export interface WaitingBatch {
  readonly batch: Batch;
  readonly answers: string;
}

/**
 * The batches whose answer waits for a person, while the agent goes on with its other sources. As long as one waits,
 * beats tell that the agent lives, and hear when a person no longer wants the answer.
 */
export class OpenCards {
  readonly #waiting = new Map<string, Batch>();
  /** The newest batch of each source that waits: it holds what the waiting one held, and what came since. */
  readonly #newest = new Map<string, string>();
  /** What a driver has been given of each source that waits. `repeat` says only that the server gave it. */
  readonly #shown = new Map<string, Set<string>>();
  readonly #context: TurnContext;
  readonly #onInterrupt: (given: readonly WaitingBatch[]) => Promise<void>;
  #beats: AbortController | undefined;

  constructor(context: TurnContext, onInterrupt: (given: readonly WaitingBatch[]) => Promise<void>) {
    this.#context = context;
    this.#onInterrupt = onInterrupt;
  }

  add(toolUseId: string, batch: Batch): void {
    this.#waiting.set(toolUseId, batch);
    const thread = threadOf(batch);
    if (!this.#newest.has(thread)) this.#newest.set(thread, batch.batch_id);
    this.#show(thread, batch.pending_messages);
    if (!this.#beats) this.#beat();
  }

  /** The batch that goes on now that its card is resolved. */
  take(toolUseId: string): WaitingBatch | undefined {
    const batch = this.#waiting.get(toolUseId);
    if (!batch) return undefined;
    const thread = threadOf(batch);
    this.#waiting.delete(toolUseId);
    if (this.#waiting.size === 0) this.close();
    // What waits for another card is not answered by this one.
    if (this.#isWaitedFor(thread)) return { batch, answers: batch.batch_id };
    const waiting = this.#named(batch);
    this.#newest.delete(thread);
    this.#shown.delete(thread);
    return waiting;
  }

  /**
   * What of this batch no driver was given yet, when a turn of its source waits: an answer to the batch would answer
   * that turn, too, so it is answered with it. Undefined: none waits.
   */
  join(batch: Batch): readonly Message[] | undefined {
    const thread = threadOf(batch);
    if (!this.#isWaitedFor(thread)) return undefined;
    const shown = this.#shown.get(thread);
    const fresh = batch.pending_messages.filter(({ id }) => !shown?.has(id));
    if (fresh.length > 0) this.#newest.set(thread, batch.batch_id);
    this.#show(thread, fresh);
    return fresh;
  }

  close(): void {
    this.#beats?.abort();
    this.#beats = undefined;
  }

  #show(thread: string, messages: readonly Message[]): void {
    const shown = this.#shown.get(thread) ?? new Set<string>();
    for (const { id } of messages) shown.add(id);
    this.#shown.set(thread, shown);
  }

  #isWaitedFor(thread: string): boolean {
    return [...this.#waiting.values()].some((batch) => threadOf(batch) === thread);
  }

  #named(batch: Batch): WaitingBatch {
    return { batch, answers: this.#newest.get(threadOf(batch)) ?? batch.batch_id };
  }

  #beat(): void {
    const { client, log } = this.#context;
    const beats = new AbortController();
    this.#beats = beats;
    const onControl = (control: 'interrupt' | 'stop') => {
      this.#beats = undefined;
      // "stop" comes by the next action too, with its reason.
      if (control === 'stop') return;
      const given = [...this.#waiting.values()].map((batch) => this.#named(batch));
      this.#waiting.clear();
      this.#newest.clear();
      this.#shown.clear();
      this.#onInterrupt(given).catch((error: unknown) => log(`interrupt: ${error}`));
    };
    beatDuringTurn({ client, firstBeatAfterMs: 0, signal: beats.signal, onControl }).catch((error: unknown) =>
      log(`heartbeat: ${error}`),
    );
  }
}

function threadOf({ source }: Batch): string {
  return source.kind === 'chat' ? 'chat' : source.conversation_id;
}
