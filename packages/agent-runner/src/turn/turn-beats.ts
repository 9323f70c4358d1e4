import { beatDuringTurn, type HeartbeatOptions } from './heartbeat.ts';

type BeatOptions = Omit<HeartbeatOptions, 'signal'>;

/** For a look at what is decided already. */
const LOOK_LIMIT_MS = 5_000;

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

  /** Asks at once whether a person wants something of the turn, and passes it on. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    const { client, phase, onControl, log } = this.#options;
    try {
      const limits = { timeoutMs: LOOK_LIMIT_MS, signal };
      const { control } = await client.call('heartbeat', { phase: phase(), hold_seconds: 0 }, limits);
      if (control && !signal.aborted) onControl(control);
    } catch (error) {
      if (!signal.aborted) log(`heartbeat: ${error}`);
    }
  }

  /** Resolves when no heartbeat is under way. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort();
    await running?.ended;
  }
}
