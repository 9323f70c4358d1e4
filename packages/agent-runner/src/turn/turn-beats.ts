import { beatDuringTurn, type HeartbeatOptions } from './heartbeat.ts';

type BeatOptions = Omit<HeartbeatOptions, 'signal'>;

/** Heartbeats that can be paused while a turn waits for a person. */
export class TurnBeats {
  readonly #options: BeatOptions & { readonly log: (sentence: string) => void };
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(options: BeatOptions & { readonly log: (sentence: string) => void }) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    const stop = new AbortController();
    const ended = beatDuringTurn({ ...this.#options, signal: stop.signal }).catch((error: unknown) =>
      this.#options.log(`heartbeat: ${error}`),
    );
    this.#running = { stop, ended };
  }

  /** Resolves when no heartbeat is under way. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort();
    await running?.ended;
  }
}
