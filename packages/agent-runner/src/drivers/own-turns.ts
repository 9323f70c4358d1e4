/** A model that works at a report for as long has lost its way. */
const LIMIT_MS = 180_000;

/**
 * Turns that a driver begins by itself. Nobody waits for one, so none may hold up a turn that somebody waits for: their
 * signals are aborted when such a turn comes, when the session ends, and after three minutes.
 */
export class OwnTurns {
  readonly #running = new Set<AbortController>();

  /** `work` has to end soon after its signal is aborted. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), LIMIT_MS);
    this.#running.add(stop);
    try {
      return await work(stop.signal);
    } finally {
      clearTimeout(timer);
      this.#running.delete(stop);
    }
  }

  stopAll(): void {
    for (const stop of this.#running) stop.abort();
  }
}
