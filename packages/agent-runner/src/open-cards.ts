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
  /** By card. `answers`: the newest batch that holds all that the waiting one holds, and what came since. */
  readonly #waiting = new Map<string, WaitingBatch>();
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
    this.#waiting.set(toolUseId, { batch, answers: batch.batch_id });
    this.#show(threadOf(batch), batch.pending_messages);
    if (!this.#beats) this.#beat();
  }

  /** The batch that goes on now that its card is resolved. */
  take(toolUseId: string): WaitingBatch | undefined {
    const waiting = this.#waiting.get(toolUseId);
    if (!waiting) return undefined;
    const { batch, answers } = waiting;
    this.#waiting.delete(toolUseId);
    if (this.#waiting.size === 0) this.close();
    const others = this.#waitingOf(threadOf(batch));
    if (others.length === 0) this.#shown.delete(threadOf(batch));
    // What waits for another card is not answered by this one.
    return others.some((other) => other.answers === answers) ? { batch, answers: batch.batch_id } : waiting;
  }

  /**
   * What of this batch no driver was given yet, when the batch holds all of one that waits: an answer to it would answer
   * that turn, too, so it is answered with it. Undefined: it can be answered by itself. A delivery is bounded, so that
   * what is new may come without what waits.
   */
  join(batch: Batch): readonly Message[] | undefined {
    const thread = threadOf(batch);
    const waiting = this.#waitingOf(thread);
    if (waiting.length === 0) return undefined;
    const shown = this.#shown.get(thread);
    const fresh = batch.pending_messages.filter(({ id }) => !shown?.has(id));
    if (fresh.length === 0) return fresh;
    const held = new Set(batch.pending_messages.map(({ id }) => id));
    const covered = waiting.filter((one) => one.batch.pending_messages.every(({ id }) => held.has(id)));
    if (covered.length === 0) return undefined;
    for (const [card, one] of this.#waiting)
      if (covered.includes(one)) this.#waiting.set(card, { ...one, answers: batch.batch_id });
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

  #waitingOf(thread: string): readonly WaitingBatch[] {
    return [...this.#waiting.values()].filter(({ batch }) => threadOf(batch) === thread);
  }

  #beat(): void {
    const { client, log } = this.#context;
    const beats = new AbortController();
    this.#beats = beats;
    const onControl = (control: 'interrupt' | 'stop') => {
      this.#beats = undefined;
      // "stop" comes by the next action too, with its reason.
      if (control === 'stop') return;
      const given = [...this.#waiting.values()];
      this.#waiting.clear();
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
