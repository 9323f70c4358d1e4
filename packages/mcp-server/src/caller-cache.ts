import type { Clock } from '@aizuchi/shared/platform/clock';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import type { AgentCaller } from './ports.ts';

const MAX_AGE_MS = 5 * 60_000;
const PRUNE_AT = 20_000;

/**
 * Whose bearer this is, for get_next_action alone: a bearer never changes its session, and how that session stands
 * is read anyway. Held calls come back every 25 s by the thousands; this halves what each of them asks the database.
 */
export class CallerCache {
  readonly #clock: Clock;
  readonly #byBearer = new Map<string, { caller: AgentCaller; at: number }>();
  readonly #bearerOf = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(bearer: string): AgentCaller | undefined {
    const entry = this.#byBearer.get(hashToken(bearer));
    return entry && this.#now() - entry.at < MAX_AGE_MS ? entry.caller : undefined;
  }

  /** Ended sessions are not kept: they answer for ten minutes only. */
  put(bearer: string, caller: AgentCaller): void {
    if (!caller.live) return;
    if (this.#byBearer.size >= PRUNE_AT) this.#prune();
    const hash = hashToken(bearer);
    this.#byBearer.set(hash, { caller, at: this.#now() });
    this.#bearerOf.set(caller.sessionId, hash);
  }

  /** It is told its end: how it stands afterwards must be asked again. */
  forget(sessionId: string): void {
    const hash = this.#bearerOf.get(sessionId);
    if (hash === undefined) return;
    this.#byBearer.delete(hash);
    this.#bearerOf.delete(sessionId);
  }

  #prune(): void {
    const oldest = this.#now() - MAX_AGE_MS;
    for (const { caller, at } of [...this.#byBearer.values()]) if (at < oldest) this.forget(caller.sessionId);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
