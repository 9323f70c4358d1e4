import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

/**
 * Resolves when everything written so far is below the log's horizon, so that every reader is given it at its next look;
 * the test's own time limit ends a wait in vain. The horizon is the oldest running transaction of the whole cluster,
 * which also holds the databases of other tests.
 */
export async function logIsComplete({ db }: Pick<Database, 'db'>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isComplete: boolean }>`
      select coalesce(max(xid) < pg_snapshot_xmin(pg_current_snapshot()), true) as "isComplete" from change_log`.execute(
      db,
    );
    if (rows[0]?.isComplete) return;
    await setImmediate();
  }
}
