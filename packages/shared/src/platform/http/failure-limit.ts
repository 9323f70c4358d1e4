import type { Clock } from '../clock.ts';

interface Level {
  failures: number;
  at: number;
}

const WINDOW_MS = 60_000;
/** Callers without a failure for a minute are dropped when there are this many. */
const PRUNE_AT = 10_000;

/**
 * Limits failures per minute and key, in the memory of this process. Above the limit a key counts as
 * suspicious until its failures have drained away at that rate, a minute after the last one at the latest.
 * Own code: limiters with fixed windows (rate-limiter-flexible) forget everything at once.
 */
export class FailureLimit {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #levels = new Map<string, Level>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  add(key: string): void {
    const now = this.#clock.now().getTime();
    const failures = Math.min(this.#level(key, now) + 1, 2 * this.#perMinute);
    // Moved behind the others: the first of the map is the one that failed longest ago.
    this.#levels.delete(key);
    if (this.#levels.size >= PRUNE_AT) this.#prune(now);
    this.#levels.set(key, { failures, at: now });
  }

  isOver(key: string): boolean {
    return this.#level(key, this.#clock.now().getTime()) > this.#perMinute;
  }

  /** The time when a key that is over the limit is below it again. */
  retryAfterSeconds(key: string): number {
    const over = this.#level(key, this.#clock.now().getTime()) - this.#perMinute;
    return Math.max(1, Math.ceil((over / this.#perMinute) * (WINDOW_MS / 1_000)));
  }

  #level(key: string, now: number): number {
    const level = this.#levels.get(key);
    if (!level) return 0;
    return Math.max(0, level.failures - ((now - level.at) / WINDOW_MS) * this.#perMinute);
  }

  /**
   * They are in the order of their last failures: at least the oldest is removed, and no recent one is
   * checked twice.
   */
  #prune(now: number): void {
    for (const [key, { at }] of this.#levels) {
      if (this.#levels.size < PRUNE_AT && now - at < WINDOW_MS) return;
      this.#levels.delete(key);
    }
  }
}
