import { sql } from 'kysely';
import type { Queryable, Tx } from '../db/database.ts';
import { keys } from './keys.ts';

/** What readers of the log can hear; `ref` names the rows, readers load what they need from the tables. */
export type Fact =
  | { kind: 'message'; projectId: string; ref: { messageId: string } }
  | { kind: 'session'; projectId: string; ref: { agentId: string } }
  | { kind: 'task'; projectId: string; ref: { taskId: string } }
  | { kind: 'run'; projectId: string; ref: { runId: string; agentId: string } }
  | { kind: 'conversation'; projectId: string; ref: { conversationId: string } }
  | { kind: 'question'; projectId: string; ref: { toolUseId: string } }
  | { kind: 'unread'; projectId: string; ref: { humanId: string } }
  | { kind: 'coordinators'; projectId: null; ref: Record<string, never> };

export type FactKind = Fact['kind'];

/** Appends facts in the transaction of the rows they tell of, and marks the log's readers dirty. */
export async function appendFacts(tx: Tx, facts: readonly Fact[]): Promise<void> {
  if (facts.length === 0) return;
  await tx.db
    .insertInto('changeLog')
    .values(facts.map(({ kind, projectId, ref }) => ({ kind, projectId, ref: JSON.stringify(ref) })))
    .execute();
  for (const fact of facts) tx.dirty(fact.projectId === null ? keys.globalLog : keys.log(fact.projectId));
}

/** These messages changed. */
export async function tellMessages(
  tx: Tx,
  projectId: string,
  rows: readonly { id: string }[],
): Promise<void> {
  await appendFacts(
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
 * Everything from transaction `from` on that is certain to be complete, in the order of ids.
 *
 * Trap 15: an id is given before commit, so "id > last" jumps over a slow transaction. Reading only below the
 * oldest running transaction can skip nothing. Inside a stretch ids give the order: of two facts of one thread
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
         from change_log where xid >= ${from}::xid8 and xid < bound.horizon) as entries
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
    where xid >= ${stretch.from}::xid8 and xid < ${stretch.to}::xid8 and id > ${stretch.afterId}
      and (project_id = ${stretch.projectId} or project_id is null)
    order by id
    limit ${stretch.limit}`.execute(db);
  return rows;
}

/** Where a reader that wants only what comes from now on begins; and the oldest stretch still kept. */
export async function logBounds(
  db: Queryable,
): Promise<{ horizon: string; oldest: string | null; epoch: string }> {
  const { rows } = await sql<{ horizon: string; oldest: string | null; epoch: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, ${EPOCH} as epoch,
      (select l.xid::text from change_log l order by l.xid limit 1) as oldest`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('the change log answered nothing');
  return row;
}

/** Forgets what is older than `before`; returns how many entries went. */
export async function pruneLog(db: Queryable, before: Date): Promise<number> {
  const result = await db.deleteFrom('changeLog').where('createdAt', '<', before).executeTakeFirst();
  return Number(result.numDeletedRows);
}
