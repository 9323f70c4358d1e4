import type { Clock } from '../../platform/clock.ts';
import type { Person } from '../access/person.ts';

export interface Caller {
  readonly person: Person;
  readonly csrfHash: string | null;
  readonly expiresAt: Date | null;
}

/** How long a revoked token may still work when every hint was lost. */
const MAX_AGE_MS = 2_000;
const MAX_ENTRIES = 10_000;

/**
 * Caches which person a bearer belongs to, so that a call needs no read; an entry lives for a few seconds,
 * and the database decides. Own code: lru-cache with our clock keeps an entry alive for as long as the clock
 * was set back.
 */
export class CallerCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { caller: Caller; until: number }>();
  #generation = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(tokenHash: string): Caller | undefined {
    const entry = this.#entries.get(tokenHash);
    if (!entry) return undefined;
    const now = this.#clock.now().getTime();
    const { expiresAt } = entry.caller;
    // Setting the clock back must not keep an entry alive.
    const fresh = now < entry.until && entry.until - now <= MAX_AGE_MS;
    if (fresh && (!expiresAt || expiresAt.getTime() > now)) return entry.caller;
    this.#entries.delete(tokenHash);
    return undefined;
  }

  /**
   * Taken before the read whose result is stored: an entry that was removed meanwhile is not stored again.
   */
  ticket(): number {
    return this.#generation;
  }

  put(tokenHash: string, caller: Caller, ticket: number): void {
    if (ticket !== this.#generation) return;
    if (this.#entries.size >= MAX_ENTRIES) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(tokenHash, { caller, until: this.#clock.now().getTime() + MAX_AGE_MS });
  }

  forget(agentId: string): void {
    this.#generation += 1;
    for (const [tokenHash, { caller }] of this.#entries)
      if (caller.person.id === agentId) this.#entries.delete(tokenHash);
  }
}
