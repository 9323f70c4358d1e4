import type { Clock } from '../platform/clock.ts';

/** Real time plus what a test has let go by: SQL that reads the database's clock stays comparable. */
export class FakeClock implements Clock {
  #offsetMs = 0;
  #frozenAt: number | undefined;

  now(): Date {
    return new Date((this.#frozenAt ?? Date.now()) + this.#offsetMs);
  }

  /** Until `work` has ended only `advance` moves this clock: for what must happen within a time limit. */
  async frozen(work: () => Promise<void>): Promise<void> {
    this.#frozenAt = Date.now();
    try {
      await work();
    } finally {
      this.#frozenAt = undefined;
    }
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }
}
