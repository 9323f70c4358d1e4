import { sql } from 'kysely';
import { z } from 'zod';
import { type ChangesSummary, changesSummarySchema } from '../../contract/changes.ts';
import { type Reason, reasonSchema } from '../../contract/reason.ts';
import { EXECUTORS, RUN_STATES, type RunLimits, runLimitsSchema } from '../../contract/run.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { bytesOf, type PageOf, type PageRequest, parseCursor, readPage } from '../../platform/db/page.ts';
import { PURPOSES, type WorkKey } from '../rules/work-key.ts';
import { EXIT_CAUSES } from './rules/run-machine.ts';

export interface RunRecord extends WorkKey {
  readonly id: string;
  readonly coordinatorId: string | null;
  /** The time of the process, or of the moment at which the Coordinator took the start. */
  readonly host: string | null;
  readonly executor: (typeof EXECUTORS)[number] | null;
  readonly node: string | null;
  /** Of its container. */
  readonly image: string | null;
  readonly limits: RunLimits | null;
  /** At the last reading, and at most. */
  readonly memoryMb: number | null;
  readonly memoryMostMb: number | null;
  readonly provider: string;
  readonly model: string | null;
  readonly pid: number | null;
  readonly state: (typeof RUN_STATES)[number];
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly exitCause: (typeof EXIT_CAUSES)[number] | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stopReason: string | null;
  readonly error: string | null;
  readonly reason: Reason | null;
  readonly stderrTail: string | null;
  /** The agent that works in the folder that they share: its task waits until that is done. */
  readonly waitsForAgentId: string | null;
  /** Of its worktree, when it has one. */
  readonly changes: ChangesSummary | null;
}

const COLUMNS = [
  'r.id',
  'r.agentId',
  'r.projectId',
  'r.purpose',
  'r.taskId',
  'r.coordinatorId',
  'r.executor',
  'r.node',
  'r.image',
  'r.limits',
  'r.memoryMb',
  'r.memoryMostMb',
  'r.provider',
  'r.model',
  'r.pid',
  'r.state',
  'r.startedAt',
  'r.endedAt',
  'r.exitCause',
  'r.exitCode',
  'r.signal',
  'r.stopReason',
  'r.error',
  'r.reason',
  'r.stderrTail',
] as const;

/** `w` is the worktree of the run, if it has one. */
const CHANGES = sql<unknown>`case when w.run_id is not null then jsonb_strip_nulls(jsonb_build_object(
  'state', w.state, 'deciding', nullif(w.order_kind, 'look'), 'fileCount', w.file_count,
  'additions', w.additions, 'deletions', w.deletions,
  'seenAt', to_char(w.seen_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) end`;

/** The task of the run waits for the folder; see folder-waits.ts. */
const WAITS_FOR = sql<
  string | null
>`case when r.purpose = 'task' and r.state <> 'exited' then (select s.folder_wait_for
  from agent_sessions s where s.run_id = r.id and s.state = 'active' limit 1) end`;

const purposeSchema = z.enum(PURPOSES);
const stateSchema = z.enum(RUN_STATES);
const causeSchema = z.enum(EXIT_CAUSES);
const executorSchema = z.enum(EXECUTORS);

export class RunQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string): Promise<RunRecord | null> {
    const row = await this.#select().where('r.id', '=', id).executeTakeFirst();
    return row ? toRun(row) : null;
  }

  /**
   * The newest first; (started_at, id) never changes, so no run is skipped or shown twice. Fewer than the
   * limit when their messages are long (PAGE_BYTES).
   */
  async list(
    filter: {
      projectId: string;
      agentId?: string | undefined;
      states?: readonly string[] | undefined;
      /** Those whose worktree waits for a decision. */
      isUndecided?: boolean;
    },
    page: PageRequest,
  ): Promise<PageOf<RunRecord>> {
    let query = this.#db
      .selectFrom('agentRuns as r')
      .select(['r.id', 'r.startedAt as createdAt', bytesOf({ texts: ['r.stderrTail', 'r.error'] })])
      .where('r.projectId', '=', filter.projectId);
    if (filter.agentId !== undefined) query = query.where('r.agentId', '=', filter.agentId);
    if (filter.states !== undefined) query = query.where('r.state', 'in', filter.states);
    if (filter.isUndecided)
      query = query.where(
        sql<boolean>`exists (select from worktrees w where w.run_id = r.id and w.state in ('created', 'conflict'))`,
      );
    const position = parseCursor(page.cursor);
    if (position)
      query = query.where(
        sql<boolean>`(r.started_at, r.id) < (${position.createdAt}::timestamptz, ${position.id})`,
      );
    const found = await query
      .orderBy('r.startedAt', 'desc')
      .orderBy('r.id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return readPage(found, page.limit, async (ids) => {
      const rows = await this.#select()
        .where('r.id', 'in', [...ids])
        .execute();
      return rows.map(toRun);
    });
  }

  #select() {
    return this.#db
      .selectFrom('agentRuns as r')
      .leftJoin('coordinators as c', 'c.id', 'r.coordinatorId')
      .select(COLUMNS)
      .leftJoin('worktrees as w', 'w.runId', 'r.id')
      .select((eb) => eb.fn.coalesce('r.host', 'c.host').as('host'))
      .select(WAITS_FOR.as('waitsForAgentId'))
      .select(CHANGES.as('changes'));
  }
}

type RunRow = Omit<
  RunRecord,
  'purpose' | 'state' | 'exitCause' | 'changes' | 'executor' | 'limits' | 'reason'
> & {
  changes: unknown;
  executor: string | null;
  limits: unknown;
  reason: unknown;
  purpose: string;
  state: string;
  exitCause: string | null;
};

function toRun(row: RunRow): RunRecord {
  return {
    ...row,
    purpose: purposeSchema.parse(row.purpose),
    state: stateSchema.parse(row.state),
    executor: row.executor === null ? null : executorSchema.parse(row.executor),
    limits: row.limits === null ? null : runLimitsSchema.parse(row.limits),
    changes: row.changes === null ? null : changesSummarySchema.parse(row.changes),
    reason: reasonSchema.nullable().catch(null).parse(row.reason),
    exitCause: row.exitCause === null ? null : causeSchema.parse(row.exitCause),
  };
}
