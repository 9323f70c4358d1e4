import type { Clock } from '../platform/clock.ts';

/** Real time plus what a test has let go by: SQL that reads the database's clock stays comparable. */
export class FakeClock implements Clock {
  #offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#offsetMs);
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
  }
}
