import { type RawBuilder, sql } from 'kysely';
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { keys } from './keys.ts';

/** The kinds of change events; `ref` names the rows, and readers load what they need from the tables. */
export type ChangeEvent =
  | { kind: 'message'; projectId: string; ref: { messageId: string } }
  /** A step of an answer, stored or growing. */
  | { kind: 'step'; projectId: string; ref: { messageId: string; stepId: string } }
  /** An answer that has grown becomes no message. */
  | { kind: 'discarded'; projectId: string; ref: { messageId: string; agentId: string } }
  | { kind: 'session'; projectId: string; ref: { agentId: string } }
  | { kind: 'task'; projectId: string; ref: { taskId: string } }
  | { kind: 'run'; projectId: string; ref: { runId: string; agentId: string } }
  | { kind: 'conversation'; projectId: string; ref: { conversationId: string } }
  | { kind: 'question'; projectId: string; ref: { toolUseId: string } }
  | { kind: 'approval'; projectId: string; ref: { toolUseId: string } }
  | { kind: 'unread'; projectId: string; ref: { humanId: string } }
  /** Which projects there are, what the list of them shows, or who is a member. */
  | { kind: 'projects'; projectId: null; ref: Record<string, never> }
  | { kind: 'coordinators'; projectId: null; ref: Record<string, never> };

export type FactKind = ChangeEvent['kind'];

/** Appends change events in the transaction of the changed rows, and wakes the readers of the log. */
export async function appendChangeEvents(tx: Tx, facts: readonly ChangeEvent[]): Promise<void> {
  if (facts.length === 0) return;
  await tx.db
    .insertInto('changeLog')
    .values(facts.map(({ kind, projectId, ref }) => ({ kind, projectId, ref: JSON.stringify(ref) })))
    .execute();
  for (const fact of facts) tx.dirty(fact.projectId === null ? keys.globalLog : keys.log(fact.projectId));
}

/** These messages changed. */
export async function appendMessageEvents(
  tx: Tx,
  projectId: string,
  rows: readonly { id: string }[],
): Promise<void> {
  await appendChangeEvents(
    tx,
    rows.map(({ id }) => ({ kind: 'message', projectId, ref: { messageId: id } }) as const),
  );
}

export interface LogEntry {
  readonly id: number;
  readonly projectId: string | null;
  readonly kind: FactKind;
  readonly ref: Readonly<Record<string, string>>;
}

/** A part of the log: every transaction from `from` up to, not including, `to` has ended. */
export interface LogBatch {
  readonly from: string;
  readonly to: string;
  readonly entries: readonly LogEntry[];
  /** An entry above `to` is committed already, and waits for an older transaction: read again soon. */
  readonly pending: boolean;
  readonly epoch: string;
}

/**
 * The history to which the transaction ids belong (log-epoch.ts); another value means that the database was
 * restored.
 */
const EPOCH = sql`coalesce((select epoch from log_epoch), '000000000000')`;

/** Every transaction of the server below it has ended, in all its databases. */
const HORIZON = sql`select pg_snapshot_xmin(pg_current_snapshot()) as horizon`;

/**
 * The same without transactions of other databases of the server, which never write here. The database of a
 * running transaction is read after the snapshot; one that has ended in between counts as ours. Reading all
 * locks costs every writer a little, so this runs only when the plain horizon does not advance.
 */
const OWN_HORIZON = sql`select coalesce(
    (select min(x.xid) from pg_snapshot_xip(s.snapshot) as x (xid) where not exists (
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = x.xid::xid
        and a.datid <> (select oid from pg_database where datname = current_database()))),
    pg_snapshot_xmax(s.snapshot)) as horizon
  from (select pg_current_snapshot() as snapshot) s`;

/**
 * A position in the key that the planner does not see. With a visible value the planner reads the first live
 * entry of the index, past all that were pruned and not yet vacuumed: 25 to 85 ms per statement were
 * measured.
 */
function unplanned(xid: string): RawBuilder<string> {
  return sql`(select ${xid}::xid8)`;
}

/**
 * Everything from transaction `from` on that is certain to be complete, in the order of ids.
 *
 * Trap 15: an id is assigned before the commit, so "id > last" skips a slow transaction. Reading only below
 * the oldest running transaction can skip nothing. Inside a part ids give the order: of two change events of
 * one thread the second writer waited for the row lock of the first before it drew its id, and both end below
 * the horizon.
 *
 * `pastOthers`: other databases of the same server do not delay it; more expensive, for a reader that does
 * not advance.
 */
export async function readLog(
  db: Queryable,
  from: string,
  options: { pastOthers?: boolean } = {},
): Promise<LogBatch> {
  const { rows } = await sql<{
    horizon: string;
    pending: boolean;
    epoch: string;
    entries: LogEntry[] | null;
  }>`
    with seen as materialized (${options.pastOthers ? OWN_HORIZON : HORIZON}),
    bound as materialized (select greatest(horizon, ${from}::xid8) as horizon from seen)
    select bound.horizon::text as horizon, ${EPOCH} as epoch,
      coalesce((select xid >= bound.horizon from change_log order by xid desc limit 1), false) as pending,
      (select jsonb_agg(jsonb_build_object('id', id, 'projectId', project_id, 'kind', kind, 'ref', ref) order by id)
         from change_log where xid >= ${unplanned(from)} and xid < bound.horizon) as entries
    from bound`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('the change log answered nothing');
  return { from, to: row.horizon, entries: row.entries ?? [], pending: row.pending, epoch: row.epoch };
}

/**
 * The rest of an earlier part, for a client that received it only up to `afterId`; the first `limit` entries
 * of it.
 */
export async function readLogStretch(
  db: Queryable,
  stretch: { from: string; to: string; afterId: number; projectId: string; limit: number },
): Promise<readonly LogEntry[]> {
  const { rows } = await sql<LogEntry>`
    select id, project_id, kind, ref from change_log
    where xid >= ${unplanned(stretch.from)} and xid < ${unplanned(stretch.to)} and id > ${stretch.afterId}
      and (project_id = ${stretch.projectId} or project_id is null)
    order by id
    limit ${stretch.limit}`.execute(db);
  return rows;
}

/** The position of a reader that needs only later entries. */
export async function logBounds(db: Queryable): Promise<{ horizon: string; epoch: string }> {
  const { rows } = await sql<{ horizon: string; epoch: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, ${EPOCH} as epoch`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('the change log answered nothing');
  return row;
}

/** A place in the order of the log's key. */
export interface LogKey {
  readonly xid: string;
  readonly id: number;
}

/**
 * Deletes the next `limit` entries after `after`, in the order of the key, if they are older than `before`:
 * one short transaction, because the horizon, and with it every reader, waits for its end; one process at a time,
 * because a second one would wait for the first, and hold the horizon meanwhile. In that order
 * entries become younger, except for the seconds of a transaction, so no index over their time is needed.
 *
 * With `after` the next batch skips the index entries of those that this one has deleted. It is null when no
 * old entries are left, or another process is pruning.
 */
export async function pruneLogBatch(
  db: Queryable,
  batch: { before: Date; after: LogKey | null; limit: number },
): Promise<{ deleted: number; after: LogKey | null }> {
  const { rows } = await sql<{ deleted: number; isFull: boolean; xid: string | null; id: number | null }>`
    -- What a crash brings back is pruned again: no reader waits for the disk of this commit.
    with mine as materialized (
      select set_config('synchronous_commit', 'off', true) = 'off' and pg_try_advisory_xact_lock(${ADVISORY_LOCKS.pruning})
        as is_mine),
    batch as materialized (
      select ctid as place, xid, id, created_at from change_log
      where (select is_mine from mine)
        and (xid, id) > (${unplanned(batch.after?.xid ?? '0')}, (select ${batch.after?.id ?? 0}::bigint))
      order by xid, id limit ${batch.limit}),
    gone as (
      delete from change_log where ctid = any(array(
        select place from batch where created_at < ${batch.before}))
      returning 1)
    select (select count(*)::int from gone) as deleted, last.xid::text as xid, last.id,
      -- Not by what went: the process before this one may have deleted some of the batch since the snapshot.
      (select count(*) = ${batch.limit} and bool_and(created_at < ${batch.before}) from batch) as is_full
    from (select) nothing left join lateral (
      select xid, id from batch order by xid desc, id desc limit 1) last on true`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('the change log answered nothing');
  const { deleted, isFull, xid, id } = row;
  return { deleted, after: isFull && xid !== null && id !== null ? { xid, id } : null };
}
