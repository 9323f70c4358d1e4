import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Tx } from '../db/database.ts';
import { keys } from './keys.ts';

/** What readers of the log can hear; `ref` names the rows, readers load what they need from the tables. */
export type ChangeEvent =
  | { kind: 'message'; projectId: string; ref: { messageId: string } }
  | { kind: 'session'; projectId: string; ref: { agentId: string } }
  | { kind: 'task'; projectId: string; ref: { taskId: string } }
  | { kind: 'run'; projectId: string; ref: { runId: string; agentId: string } }
  | { kind: 'conversation'; projectId: string; ref: { conversationId: string } }
  | { kind: 'question'; projectId: string; ref: { toolUseId: string } }
  | { kind: 'unread'; projectId: string; ref: { humanId: string } }
  | { kind: 'coordinators'; projectId: null; ref: Record<string, never> };

export type FactKind = ChangeEvent['kind'];

/** Appends change events in the transaction of the rows they tell of, and marks the log's readers dirty. */
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

/** A stretch of the log: every transaction from `from` up to, not including, `to` has ended. */
export interface LogBatch {
  readonly from: string;
  readonly to: string;
  readonly entries: readonly LogEntry[];
  /** Something is committed above `to` already, and waits for an older transaction: look again soon. */
  readonly pending: boolean;
  readonly epoch: string;
}

/** Of which history transaction ids speak (log-epoch.ts); another one means that the database was restored. */
const EPOCH = sql`coalesce((select epoch from log_epoch), '000000000000')`;

/** Every transaction of the server below it has ended, of all its databases. */
const HORIZON = sql`select pg_snapshot_xmin(pg_current_snapshot()) as horizon`;

/**
 * The same without what other databases of the server are writing: they never write here. Which database a running
 * transaction belongs to is read after the snapshot; one that has ended in between counts as ours. Looking at all
 * locks costs every writer a little, so it is asked only when the plain horizon stands still.
 */
const OWN_HORIZON = sql`select coalesce(
    (select min(x.xid) from pg_snapshot_xip(s.snapshot) as x (xid) where not exists (
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.transactionid = x.xid::xid
        and a.datid <> (select oid from pg_database where datname = current_database()))),
    pg_snapshot_xmax(s.snapshot)) as horizon
  from (select pg_current_snapshot() as snapshot) s`;

/**
 * A place in the key that the planner does not see. To judge one that it sees it looks for the first living entry of
 * the index, past all that were pruned and not yet vacuumed: 25 to 85 ms a statement were measured.
 */
function unplanned(xid: string): RawBuilder<string> {
  return sql`(select ${xid}::xid8)`;
}

/**
 * Everything from transaction `from` on that is certain to be complete, in the order of ids.
 *
 * Trap 15: an id is given before commit, so "id > last" jumps over a slow transaction. Reading only below the
 * oldest running transaction can skip nothing. Inside a stretch ids give the order: of two change events of one thread
 * the second writer waited for the first one's row lock before it drew its id, and both end below the horizon.
 *
 * `pastOthers`: other databases of the same server do not hold it up; dearer, for a reader that stands still.
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

/** The rest of an earlier stretch, for a client that got it only up to `afterId`; the first `limit` of it. */
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

/** Where a reader that wants only what comes from now on begins. */
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

/** Of all processes one prunes at a time: a second one would wait for the first, and hold the horizon meanwhile. */
const PRUNE_LOCK = 4_712_001;

/**
 * Forgets the next `limit` entries behind `after`, in the order of the key, as far as they are older than `before`: one
 * short transaction, since the horizon, and with it every reader, waits for its end. In that order entries grow younger,
 * but for the seconds that a transaction lasts, so no index over their time is needed.
 *
 * `after` spares the next batch the index entries of those that this one has deleted. It is null when nothing old is
 * left behind them, or another process is at it.
 */
export async function pruneLogBatch(
  db: Queryable,
  batch: { before: Date; after: LogKey | null; limit: number },
): Promise<{ deleted: number; after: LogKey | null }> {
  const { rows } = await sql<{ deleted: number; isFull: boolean; xid: string | null; id: number | null }>`
    -- What a crash brings back is pruned again: no reader waits for the disk of this commit.
    with mine as materialized (
      select set_config('synchronous_commit', 'off', true) = 'off' and pg_try_advisory_xact_lock(${PRUNE_LOCK})
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
