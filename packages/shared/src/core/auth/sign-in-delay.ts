import { setTimeout as sleepFor } from 'node:timers/promises';
import { Waiting } from '../../platform/bounded-wait.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { addFailure, countFailures, removeFailures } from './sign-in-failure-queries.ts';

/** Rejects when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

/** The source by which the failures of an account are counted, and the delay limits for it. */
export interface Lane {
  readonly account: string;
  /** Such as `rest 192.0.2.1`. */
  readonly source: string;
  readonly maxDelayMs: number;
  readonly maxWaiting: number;
}

const FREE_FAILURES = 3;
/** Older failures do not count. The sweeper deletes the rows themselves (prune.ts). */
export const FAILURES_KEPT_MS = 24 * 3_600_000;

/**
 * How long the next attempt is held after a number of failures in a row: 0 0 0 1 2 4 8 … seconds, at most
 * `maxMs`.
 */
export function delayAfter(failures: number, maxMs: number): number {
  if (failures < FREE_FAILURES) return 0;
  return Math.min(maxMs, 1_000 * 2 ** Math.min(failures - FREE_FAILURES, 10));
}

/**
 * Holds the attempts of one account from one source after failures in a row, right ones too, and then answers
 * them: guessing becomes slow, and nobody is locked out. The count is a row, so that all processes agree. Own
 * code: rate-limiter-flexible refuses, which locks out the right person.
 *
 * Many simultaneous attempts have no advantage: each reads the count again after its wait and after its
 * check, and waits longer for the failures that others have added, up to the longest delay. A waiting attempt
 * costs memory only.
 */
export class SignInDelay {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #waiting = new Waiting();

  constructor(deps: { db: Queryable; clock: Clock; sleep?: Sleep | undefined }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#sleep = deps.sleep ?? holdFor;
  }

  /**
   * Runs `check` after the delay; its result counts as success unless it is undefined. An attempt whose
   * client has left meanwhile is not checked. @throws AppError rate_limited when too many attempts wait
   * already.
   */
  async attempt<T>(
    lane: Lane,
    check: () => Promise<T | undefined>,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    return this.#waiting.during(`${lane.account}\n${lane.source}`, lane.maxWaiting, () =>
      this.#held(lane, check, signal),
    );
  }

  async #held<T>(
    lane: Lane,
    check: () => Promise<T | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> {
    let heldMs = 0;
    const hold = async (failures: number) => {
      const rest = delayAfter(failures, lane.maxDelayMs) - heldMs;
      if (rest <= 0) return false;
      await this.#sleep(rest, signal);
      heldMs += rest;
      return true;
    };
    while (await hold(await this.failures(lane)));
    const result = await check();
    if (result === undefined) {
      const failures = await this.#addFailure(lane);
      await hold(failures - 1);
      return undefined;
    }
    await hold(await this.failures(lane));
    await this.reset(lane);
    return result;
  }

  /** Failures in a row, as far as they still count. */
  async failures(lane: Pick<Lane, 'account' | 'source'>): Promise<number> {
    return countFailures(this.#db, lane, this.#forgottenBefore());
  }

  async reset(lane: Pick<Lane, 'account' | 'source'>): Promise<void> {
    await removeFailures(this.#db, lane);
  }

  async #addFailure(lane: Lane): Promise<number> {
    return addFailure(this.#db, lane, { since: this.#forgottenBefore(), now: this.#clock.now() });
  }

  #forgottenBefore(): Date {
    return new Date(this.#clock.now().getTime() - FAILURES_KEPT_MS);
  }
}

/** Sleeps, unless the client leaves: then there is no reader for an answer. */
export async function holdFor(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleepFor(ms, undefined, { ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw new AppError('invalid_input', 'The client has gone away.');
    throw error;
  }
}
