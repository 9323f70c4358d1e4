import { Waiting } from '../../platform/bounded-wait.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { addressGroup } from '../../platform/http/address.ts';
import { FailureLimit } from '../../platform/http/failure-limit.ts';
import { holdFor, type Lane, SignInDelay, type Sleep } from './sign-in-delay.ts';

/** The surface of an attempt to sign in; each surface is counted apart. */
export type SignInSurface = 'rest' | 'page' | 'mcp';

export interface SignInOrigin {
  readonly surface: SignInSurface;
  readonly address: string;
  /** The device cookie that the browser has from an earlier sign-in (device-marks.ts). */
  readonly device?: string | undefined;
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Together with the check itself a right passkey is answered within 5 s, whatever others try from its
 * address.
 */
const STRANGERS_HELD_MS = 3_000;
/**
 * A held attempt costs memory only, and a refused one could be the right one: so the limit is about the
 * number of connections of one address. It also limits guesses to 500 per second, account and address
 * (each is held for two seconds or more).
 */
const STRANGERS_WAITING = 1_000;
const FLOOD_PER_MINUTE = 30;
const FLOOD_WAITING = 4_000;

const KNOWN_HELD_MS = 30_000;
const KNOWN_WAITING = 20;
/** After so many failures the cookie may be stolen: it gives no advantage any more. */
const DEVICE_FAILURES = 10;

type Check<T> = () => Promise<T | undefined>;

/**
 * Decides which attempts wait for one another at the sign-in. Strangers are counted by account, surface and
 * address. A browser with an earlier sign-in, and a person who is signed in, have counts of their own and
 * never wait for strangers.
 */
export class SignInGuard {
  readonly #delay: SignInDelay;
  readonly #sleep: Sleep;
  /** Addresses that try one account after the other. */
  readonly #floods: FailureLimit;
  readonly #inFlood = new Waiting();

  constructor(deps: { db: Queryable; clock: Clock; sleep?: Sleep | undefined }) {
    this.#delay = new SignInDelay(deps);
    this.#sleep = deps.sleep ?? holdApart;
    this.#floods = new FailureLimit(FLOOD_PER_MINUTE, deps.clock);
  }

  /**
   * While many attempts of an address fail, all its attempts are held for the longest time, in memory: no row
   * is read or written for them, so that invented accounts cost almost nothing.
   */
  async stranger<T>(account: string, origin: SignInOrigin, check: Check<T>): Promise<T | undefined> {
    const source = sourceOf(origin);
    if (!this.#floods.isOver(source)) {
      const lane = { account, source, maxDelayMs: STRANGERS_HELD_MS, maxWaiting: STRANGERS_WAITING };
      return this.#delay.attempt(lane, this.#counted(source, check), origin.signal);
    }
    const result = await this.#heldInFlood(account, source, origin.signal, this.#counted(source, check));
    if (result !== undefined) await this.#delay.reset({ account, source });
    return result;
  }

  /** For secrets that cannot be guessed, such as the code of a link: only a flood of attempts is held. */
  async code<T>(origin: SignInOrigin, check: Check<T>): Promise<T | undefined> {
    const source = sourceOf(origin);
    const counted = this.#counted(source, check);
    return this.#floods.isOver(source) ? this.#heldInFlood('', source, origin.signal, counted) : counted();
  }

  /** Undefined as `lane`: the cookie has failed too often. */
  async deviceLane(account: string, nonce: string): Promise<Lane | undefined> {
    const lane = knownLane(account, `device ${nonce}`);
    return (await this.#delay.failures(lane)) < DEVICE_FAILURES ? lane : undefined;
  }

  async known<T>(lane: Lane, check: Check<T>, signal?: AbortSignal): Promise<T | undefined> {
    return this.#delay.attempt(lane, check, signal);
  }

  #heldInFlood<T>(account: string, source: string, signal: AbortSignal | undefined, check: Check<T>) {
    return this.#inFlood.during(source, FLOOD_WAITING, () =>
      this.#inFlood.during(`${account}\n${source}`, STRANGERS_WAITING, async () => {
        await this.#sleep(STRANGERS_HELD_MS, signal);
        return check();
      }),
    );
  }

  #counted<T>(source: string, check: Check<T>): Check<T> {
    return async () => {
      const result = await check();
      if (result === undefined) this.#floods.add(source);
      return result;
    };
  }
}

export function knownLane(account: string, source: string): Lane {
  return { account, source, maxDelayMs: KNOWN_HELD_MS, maxWaiting: KNOWN_WAITING };
}

/**
 * Between two thirds of the time and all of it: hundreds of attempts that began together must not return
 * together.
 */
function holdApart(ms: number, signal?: AbortSignal): Promise<void> {
  return holdFor(ms * (1 - Math.random() / 3), signal);
}

function sourceOf({ surface, address }: SignInOrigin): string {
  return `${surface} ${addressGroup(address)}`;
}
