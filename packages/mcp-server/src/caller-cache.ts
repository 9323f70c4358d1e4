import type { Clock } from '@aizuchi/shared/platform/clock';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import { LRUCache } from 'lru-cache';
import type { AgentCaller } from './ports.ts';

const MAX_AGE_MS = 5 * 60_000;
const MAX_ENTRIES = 20_000;

/**
 * Whose bearer this is, for get_next_action alone: a bearer never changes its session, and how that session stands
 * is read anyway. Held calls come back every 25 s by the thousands; this halves what each of them asks the database.
 */
export class CallerCache {
  readonly #byBearer: LRUCache<string, AgentCaller>;
  readonly #bearerOf = new Map<string, string>();

  constructor(clock: Clock) {
    this.#byBearer = new LRUCache({
      max: MAX_ENTRIES,
      ttl: MAX_AGE_MS,
      perf: { now: () => clock.now().getTime() },
      // Without it the clock is read by a timer.
      ttlResolution: 0,
      dispose: ({ sessionId }, hash) => {
        if (this.#bearerOf.get(sessionId) === hash) this.#bearerOf.delete(sessionId);
      },
    });
  }

  get(bearer: string): AgentCaller | undefined {
    return this.#byBearer.get(hashToken(bearer));
  }

  /** Ended sessions are not kept: they answer for ten minutes only. */
  put(bearer: string, caller: AgentCaller): void {
    if (!caller.live) return;
    const hash = hashToken(bearer);
    this.#byBearer.set(hash, caller);
    this.#bearerOf.set(caller.sessionId, hash);
  }

  /** It is told its end: how it stands afterwards must be asked again. */
  forget(sessionId: string): void {
    const hash = this.#bearerOf.get(sessionId);
    if (hash !== undefined) this.#byBearer.delete(hash);
  }
}
