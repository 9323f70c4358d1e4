import { setTimeout as sleepFor } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { AppError } from '../errors.ts';

export type Sleep = (ms: number) => Promise<unknown>;

const FREE_FAILURES = 3;
const MAX_DELAY_MS = 30_000;
const MAX_WAITING = 20;
/** Nobody remembers yesterday's typing errors; and rows that strangers cause must not stay for ever. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
/** Each failure adds a row at most, so this many at once keep up with any number of strangers. */
const FORGOTTEN_AT_ONCE = 100;

/** How long the next attempt is held after so many failures in a row: 0 0 0 1 2 4 8 16 30 30 … seconds. */
export function delayAfter(failures: number): number {
  if (failures < FREE_FAILURES) return 0;
  return Math.min(MAX_DELAY_MS, 1_000 * 2 ** Math.min(failures - FREE_FAILURES, 10));
}

/**
 * Holds the attempts of one account from one address after failures in a row, right ones too, and then answers
 * them: guessing gets slow, and nobody is locked out. The count is a row, so that all processes agree.
 *
 * Many attempts at once gain nothing: each looks again after it has waited and after it was checked, and goes on
 * waiting for what the others have added meanwhile; more than 20 at once are refused.
 */
export class SignInDelay {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #waiting = new Map<string, number>();

  constructor(deps: { db: Queryable; clock: Clock; sleep?: Sleep | undefined }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#sleep = deps.sleep ?? ((ms) => sleepFor(ms));
  }

  /** Runs `check` when its time has come; what it returns counts as success unless it is undefined. */
  async attempt<T>(
    account: string,
    address: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const key = `${account}\n${address}`;
    const waiting = this.#waiting.get(key) ?? 0;
    if (waiting >= MAX_WAITING) {
      throw new AppError('rate_limited', 'Too many sign-ins of this account are waiting. Try again later.', {
        retryAfterSeconds: MAX_DELAY_MS / 1_000,
      });
    }
    this.#waiting.set(key, waiting + 1);
    try {
      return await this.#held(account, address, check);
    } finally {
      const left = (this.#waiting.get(key) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(key);
      else this.#waiting.set(key, left);
    }
  }

  async #held<T>(
    account: string,
    address: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let heldMs = 0;
    const hold = async (failures: number) => {
      const rest = delayAfter(failures) - heldMs;
      if (rest <= 0) return false;
      await this.#sleep(rest);
      heldMs += rest;
      return true;
    };
    while (await hold(await this.#failures(account, address)));
    const result = await check();
    if (result === undefined) {
      const failures = await this.#addFailure(account, address);
      await hold(failures - 1);
      return undefined;
    }
    await hold(await this.#failures(account, address));
    await this.#reset(account, address);
    return result;
  }

  async #failures(account: string, address: string): Promise<number> {
    const row = await this.#db
      .selectFrom('signInFailures')
      .select('failures')
      .where('account', '=', account)
      .where('address', '=', address)
      .where('lastFailedAt', '>', this.#forgottenBefore())
      .executeTakeFirst();
    return row?.failures ?? 0;
  }

  async #addFailure(account: string, address: string): Promise<number> {
    const now = this.#clock.now();
    const forgotten = this.#forgottenBefore();
    await sql`delete from sign_in_failures where ctid = any(array(select ctid from sign_in_failures
      where last_failed_at <= ${forgotten} order by last_failed_at limit ${FORGOTTEN_AT_ONCE}
      for update skip locked))`.execute(this.#db);
    const { rows } = await sql<{ failures: number }>`
      insert into sign_in_failures as f (account, address, failures, last_failed_at)
      values (${account}, ${address}, 1, ${now})
      on conflict (account, address) do update
        set failures = case when f.last_failed_at <= ${forgotten} then 1 else f.failures + 1 end,
          last_failed_at = excluded.last_failed_at
      returning failures`.execute(this.#db);
    return rows[0]?.failures ?? 1;
  }

  async #reset(account: string, address: string): Promise<void> {
    await this.#db
      .deleteFrom('signInFailures')
      .where('account', '=', account)
      .where('address', '=', address)
      .execute();
  }

  #forgottenBefore(): Date {
    return new Date(this.#clock.now().getTime() - FORGOTTEN_AFTER_MS);
  }
}
