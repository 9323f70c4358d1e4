import type { Clock } from '@aizuchi/shared/platform/clock';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import { LRUCache } from 'lru-cache';
import type { AgentCaller } from './ports.ts';

const MAX_AGE_MS = 5 * 60_000;
const MAX_ENTRIES = 20_000;

/**
 * Remembers to which session a bearer belongs, for get_next_action only. A bearer never changes its session,
 * and the state of that session is read in any case. Thousands of held calls return every 25 s; the cache
 * halves the queries of each.
 */
export class SessionCache {
  readonly #byBearer: LRUCache<string, AgentCaller>;
  readonly #bearerOf = new Map<string, string>();

  constructor(clock: Clock) {
    this.#byBearer = new LRUCache({
      max: MAX_ENTRIES,
      ttl: MAX_AGE_MS,
      perf: { now: () => clock.now().getTime() },
      // Without this option a timer reads the clock.
      ttlResolution: 0,
      dispose: ({ sessionId }, hash) => {
        if (this.#bearerOf.get(sessionId) === hash) this.#bearerOf.delete(sessionId);
      },
    });
  }

  get(bearer: string): AgentCaller | undefined {
    return this.#byBearer.get(hashToken(bearer));
  }

  /** Ended sessions are not kept: they are answered for ten minutes only. */
  put(bearer: string, caller: AgentCaller): void {
    if (!caller.live) return;
    const hash = hashToken(bearer);
    this.#byBearer.set(hash, caller);
    this.#bearerOf.set(caller.sessionId, hash);
  }

  /** The session learns its end with this answer: its state must be read again afterwards. */
  forget(sessionId: string): void {
    const hash = this.#bearerOf.get(sessionId);
    if (hash !== undefined) this.#byBearer.delete(hash);
  }
}
