import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts';
import type { Database, Queryable } from '../db/database.ts';

/**
 * Values that distinguish one cluster from another. None is sufficient alone: a copied data directory keeps
 * its identifier and its timeline (but its files are new), a restored archive keeps the identifier (but its
 * timeline is new), another database of one server keeps all three (but its oid is new). Managed servers
 * refuse some of them.
 */
const IDENTITY = [
  sql<{ part: string }>`select oid::text as part from pg_database where datname = current_database()`,
  sql<{ part: string }>`select system_identifier::text as part from pg_control_system()`,
  sql<{ part: string }>`select left(pg_walfile_name(pg_current_wal_lsn()), 8) as part`,
  sql<{ part: string }>`select extract(epoch from change)::text as part from pg_stat_file('PG_VERSION')`,
];
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Call it at every start, after the migrations and before the log is read: a database that was restored into
 * another cluster contains transaction ids that mean nothing there. They may be above all ids of the new
 * cluster, so that readers would wait for transactions that never end; and earlier cursors name a position in
 * a history that does not exist any more. In this case the log is emptied (it wakes readers, it is not a
 * history) and a new epoch begins: every older cursor is answered with `reset`. Idempotent; of several
 * concurrent calls one does it.
 */
export async function ensureLogEpoch(database: Database): Promise<'kept' | 'renewed'> {
  const cluster = await clusterIdentity(database.db);
  return database.transaction(async ({ db }) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.logEpoch})`.execute(db);
    const { rows } = await sql<{ cluster: string | null; isAhead: boolean }>`
      select (select cluster from log_epoch) as cluster,
        coalesce((select xid >= pg_snapshot_xmax(pg_current_snapshot()) from change_log order by xid desc limit 1),
          false) as is_ahead`.execute(db);
    if (rows[0]?.cluster === cluster && !rows[0].isAhead) return 'kept';
    await sql`truncate change_log`.execute(db);
    await sql`insert into log_epoch (epoch, cluster) values (${randomBytes(6).toString('hex')}, ${cluster})
      on conflict (only_row) do update
      set epoch = excluded.epoch, cluster = excluded.cluster, begun_at = excluded.begun_at`.execute(db);
    return 'renewed';
  });
}

async function clusterIdentity(db: Queryable): Promise<string> {
  const parts: string[] = [];
  for (const query of IDENTITY) {
    try {
      parts.push((await query.execute(db)).rows[0]?.part ?? '');
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
      parts.push('');
    }
  }
  return parts.join('/');
}
