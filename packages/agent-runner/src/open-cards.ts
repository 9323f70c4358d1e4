import { beatDuringTurn } from './heartbeat.ts';
import type { Batch, TurnContext } from './turn-context.ts';

/**
 * The batches whose answer waits for a person, while the agent goes on with its other sources. As long as one waits,
 * beats tell that the agent lives, and hear when a person no longer wants the answer.
 */
export class OpenCards {
  readonly #waiting = new Map<string, Batch>();
  readonly #context: TurnContext;
  readonly #onInterrupt: (batches: readonly Batch[]) => Promise<void>;
  #beats: AbortController | undefined;

  constructor(context: TurnContext, onInterrupt: (batches: readonly Batch[]) => Promise<void>) {
    this.#context = context;
    this.#onInterrupt = onInterrupt;
  }

  add(toolUseId: string, batch: Batch): void {
    this.#waiting.set(toolUseId, batch);
    if (!this.#beats) this.#beat();
  }

  /** The batch that goes on now that its card is resolved. */
  take(toolUseId: string): Batch | undefined {
    const batch = this.#waiting.get(toolUseId);
    this.#waiting.delete(toolUseId);
    if (this.#waiting.size === 0) this.close();
    return batch;
  }

  /** Whether an answer to this batch would answer a waiting one too. */
  holds({ source }: Batch): boolean {
    return [...this.#waiting.values()].some((batch) => threadOf(batch.source) === threadOf(source));
  }

  close(): void {
    this.#beats?.abort();
    this.#beats = undefined;
  }

  #beat(): void {
    const { client, log } = this.#context;
    const beats = new AbortController();
    this.#beats = beats;
    const onControl = (control: 'interrupt' | 'stop') => {
      this.#beats = undefined;
      // "stop" comes by the next action too, with its reason.
      if (control === 'stop') return;
      const batches = [...this.#waiting.values()];
      this.#waiting.clear();
      this.#onInterrupt(batches).catch((error: unknown) => log(`interrupt: ${error}`));
    };
    beatDuringTurn({ client, firstBeatAfterMs: 0, signal: beats.signal, onControl }).catch((error: unknown) =>
      log(`heartbeat: ${error}`),
    );
  }
}

function threadOf(source: Batch['source']): string {
  return source.kind === 'chat' ? 'chat' : source.conversation_id;
}
