import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** The source by which failures are counted. */
export interface FailureKey {
  readonly account: string;
  readonly source: string;
}

/** Failures in a row; 0 when the last one was before `since`. */
export async function countFailures(
  db: Queryable,
  { account, source }: FailureKey,
  since: Date,
): Promise<number> {
  const row = await db
    .selectFrom('signInFailures')
    .select('failures')
    .where('account', '=', account)
    .where('source', '=', source)
    .where('lastFailedAt', '>', since)
    .executeTakeFirst();
  return row?.failures ?? 0;
}

/** Adds one failure; the count starts anew when the last one was before `since`. Returns the count. */
export async function addFailure(
  db: Queryable,
  { account, source }: FailureKey,
  { since, now }: { since: Date; now: Date },
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
      insert into sign_in_failures as f (account, source, failures, last_failed_at)
      values (${account}, ${source}, 1, ${now})
      on conflict (account, source) do update
        set failures = case when f.last_failed_at <= ${since} then 1 else f.failures + 1 end,
          last_failed_at = excluded.last_failed_at
      returning failures`.execute(db);
  return rows[0]?.failures ?? 1;
}

export async function removeFailures(db: Queryable, { account, source }: FailureKey): Promise<void> {
  await db.deleteFrom('signInFailures').where('account', '=', account).where('source', '=', source).execute();
}
