import type { Clock } from '@aizuchi/shared/platform/clock';

interface Bucket {
  tokens: number;
  at: number;
}

/** Buckets that are full again say nothing; they are dropped when there are this many. */
const PRUNE_AT = 10_000;

/** So many calls a minute and caller, in this process; 0 = no limit. */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Takes one call, or what it costs; undefined when it may go on, else the seconds after which it may. */
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
      if (this.#buckets.size >= PRUNE_AT) this.#prune(now);
      const fresh = { tokens: this.#perMinute, at: now };
      this.#buckets.set(caller, fresh);
      return fresh;
    }
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + ((now - bucket.at) * this.#perMinute) / 60_000);
    bucket.at = now;
    return bucket;
  }

  #prune(now: number): void {
    for (const [caller, bucket] of this.#buckets) if (now - bucket.at >= 60_000) this.#buckets.delete(caller);
  }
}
