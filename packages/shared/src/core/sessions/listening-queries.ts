import type { Database, Queryable } from '../../platform/db/database.ts';

/** After a longer gap the time in between does not count; also how long a mark means "still listening". */
const GAP_MS = 10_000;

/**
 * Renews the mark of a process, by one prepared statement; `at` null: by the clock of the database, so that a
 * pause of this process or of Postgres is visible as a gap. After a gap the process counts as listening since
 * now. Deletes old marks of other processes.
 */
export async function saveListeningMark(
  database: Pick<Database, 'statement'>,
  instanceId: string,
  at: Date | null,
): Promise<void> {
  await database.statement({ name: 'listening-mark', text: SAVE_MARK, values: [instanceId, at] });
}

const SAVE_MARK = `
  with moment as materialized (select coalesce($2::timestamptz, clock_timestamp()) as now),
    gone as (delete from listening_marks using moment where id <> $1 and seen_at < now - interval '1 hour')
  insert into listening_marks (id, since, seen_at) select $1, now, now from moment
  on conflict (id) do update set seen_at = excluded.seen_at,
    since = case when listening_marks.seen_at < excluded.seen_at - interval '${GAP_MS} ms'
      then excluded.since else least(listening_marks.since, excluded.since) end`;

/** Whether one mcp-server has been listening for all of the last `ms` milliseconds, and still listens. */
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
