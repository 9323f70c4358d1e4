import type { Pool } from 'pg';

/** The read of who may see which projects. */
export const RIGHTS_READ = 'select w[.]project_id';

/** Ends a statement that fits and waits for a lock, as if its connection had broken. */
export async function breakLockedRead(pool: Pool, pattern: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query ~ $1 and pid <> pg_backend_pid()`,
      [pattern],
    );
    for (const { pid } of rows) await pool.query('select pg_terminate_backend($1)', [pid]);
    if (rows.length > 0) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
