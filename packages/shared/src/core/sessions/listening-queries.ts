import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** Beyond it nobody vouches for the time in between; also how long a mark stands for "still listening". */
const GAP_MS = 10_000;

/**
 * Renews the mark of a process; `at` null: by the database's clock, so that a pause of this process or of Postgres shows
 * as a gap. After a gap the process counts as listening since now. Old marks of others go.
 */
export async function saveListeningMark(db: Queryable, instanceId: string, at: Date | null): Promise<void> {
  await sql`
      with moment as materialized (select coalesce(${at}::timestamptz, clock_timestamp()) as now),
        gone as (delete from listening_marks using moment
          where id <> ${instanceId} and seen_at < now - interval '1 hour')
      insert into listening_marks (id, since, seen_at) select ${instanceId}, now, now from moment
      on conflict (id) do update set seen_at = excluded.seen_at,
        since = case when listening_marks.seen_at < excluded.seen_at - ${GAP_MS} * interval '1 ms'
          then excluded.since else least(listening_marks.since, excluded.since) end`.execute(db);
}

/** Whether one mcp-server has been listening for all of the last `ms` milliseconds, and still does. */
export async function couldHear(db: Queryable, now: Date, ms: number): Promise<boolean> {
  const ear = await db
    .selectFrom('listeningMarks')
    .select('id')
    .where('seenAt', '>=', new Date(now.getTime() - GAP_MS))
    .where('since', '<=', new Date(now.getTime() - ms))
    .limit(1)
    .executeTakeFirst();
  return ear !== undefined;
}
