import type { Clock } from '../../platform/clock.ts';
import type { Person } from '../access/person.ts';

export interface Caller {
  readonly person: Person;
  readonly csrfHash: string | null;
  readonly expiresAt: Date | null;
}

/** How long a revoked token may still open something when every hint got lost. */
const MAX_AGE_MS = 2_000;
const MAX_ENTRIES = 10_000;

/**
 * Who stands behind which bearer, so that a call costs no read; a few seconds of memory, never the truth. Own code:
 * lru-cache, given our clock, keeps an entry alive for as long as that was set back.
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
    // A clock that was set back must not keep an entry alive.
    const fresh = now < entry.until && entry.until - now <= MAX_AGE_MS;
    if (fresh && (!expiresAt || expiresAt.getTime() > now)) return entry.caller;
    this.#entries.delete(tokenHash);
    return undefined;
  }

  /** Drawn before the read whose result is put in: what was forgotten meanwhile is not remembered again. */
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
