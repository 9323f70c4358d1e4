import type { Clock } from '@aizuchi/shared/platform/clock';
import { LRUCache } from 'lru-cache';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * A caller is forgotten after this many others have called. It then gets a full bucket, which it nearly
 * always would have by then.
 */
const MAX_CALLERS = 20_000;

/**
 * A number of calls per minute for each caller, in this process; 0 = no limit. Own code:
 * rate-limiter-flexible counts in fixed windows, which allows twice the limit at their border, and costs 13
 * times as much for a call (docs/design/libraries.md).
 */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #burst: number;
  readonly #clock: Clock;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_CALLERS });

  /** `burst`: how much a caller may take at once that has taken nothing for a while. */
  constructor(perMinute: number, clock: Clock, burst = perMinute) {
    this.#perMinute = perMinute;
    this.#burst = burst;
    this.#clock = clock;
  }

  /**
   * Takes one call, or its cost. Returns undefined when the call may continue, else the seconds after which
   * it may.
   */
  take(caller: string, cost = 1): number | undefined {
    if (this.#perMinute === 0) return undefined;
    const now = this.#clock.now().getTime();
    const bucket = this.#refilled(caller, now);
    if (bucket.tokens < cost) return Math.ceil(((cost - bucket.tokens) * 60) / this.#perMinute);
    bucket.tokens -= cost;
    return undefined;
  }

  #refilled(caller: string, now: number): Bucket {
    const bucket = this.#buckets.get(caller);
    if (!bucket) {
      const fresh = { tokens: this.#burst, at: now };
      this.#buckets.set(caller, fresh);
      return fresh;
    }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) * this.#perMinute) / 60_000);
    bucket.at = now;
    return bucket;
  }
}
