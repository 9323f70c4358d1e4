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
    if (!this.#beats) this.#beat();
  }

  /** The batch that goes on now that its card is resolved. */
  take(toolUseId: string): WaitingBatch | undefined {
    const batch = this.#waiting.get(toolUseId);
    if (!batch) return undefined;
    const waiting = this.#named(batch);
    this.#waiting.delete(toolUseId);
    if (!this.#isWaitedFor(threadOf(batch))) this.#newest.delete(threadOf(batch));
    if (this.#waiting.size === 0) this.close();
    return waiting;
  }

  /**
   * Whether a turn of this batch's source waits: then an answer to the batch would answer that turn, too. It is
   * answered with it.
   */
  join(batch: Batch): boolean {
    const thread = threadOf(batch);
    if (!this.#isWaitedFor(thread)) return false;
    this.#newest.set(thread, batch.batch_id);
    return true;
  }

  close(): void {
    this.#beats?.abort();
    this.#beats = undefined;
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
