import { sql } from 'kysely';
import { z } from 'zod';
import type { Reason } from '../../contract/reason.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { chatThreadId } from '../chat/thread-id.ts';
import { type MembershipKey, PURPOSES, type WorkKey } from '../rules/work-key.ts';
import type { ExitCause } from './rules/run-machine.ts';

/** A run with the columns that its end needs. */
export interface EndingRun extends WorkKey {
  readonly id: string;
  readonly state: string;
  readonly exitCause: string | null;
  readonly stopRequestedAt: Date | null;
  readonly stopReason: string | null;
  readonly pid: number | null;
  readonly signInRefusedAt: Date | null;
  readonly coordinatorId: string | null;
}

/** A run whose end no Coordinator would report. */
export interface UnwatchedRun {
  readonly id: string;
  readonly startedAt: Date;
}

const purposeSchema = z.enum(PURPOSES);

export function findMembershipOfRun(
  db: Queryable,
  runId: string,
): Promise<{ projectId: string; agentId: string } | undefined> {
  return db
    .selectFrom('agentRuns')
    .select(['projectId', 'agentId'])
    .where('id', '=', runId)
    .executeTakeFirst();
}

/** @throws when there is no such run. */
export async function lockRun(db: Queryable, runId: string): Promise<EndingRun> {
  const run = await db
    .selectFrom('agentRuns')
    .select([
      'id',
      'projectId',
      'agentId',
      'purpose',
      'taskId',
      'state',
      'exitCause',
      'stopRequestedAt',
      'stopReason',
      'pid',
      'signInRefusedAt',
      'coordinatorId',
    ])
    .where('id', '=', runId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { ...run, purpose: purposeSchema.parse(run.purpose) };
}

/** Whether a wake-up for the run exists. */
export async function hasWakeUp(db: Queryable, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom('pendingAgentPurposes')
    .select('runId')
    .where('runId', '=', runId)
    .executeTakeFirst();
  return row !== undefined;
}

/** A run whose stop was not requested gets the reason for which its last session was told to leave. */
export async function setExited(
  db: Queryable,
  runId: string,
  exit: {
    endedAt: Date;
    exitCause: ExitCause;
    exitCode: number | null;
    signal: string | null;
    error: string | null;
    reason: Reason | null;
    stderrTail: string | null;
  },
): Promise<void> {
  await db
    .updateTable('agentRuns')
    .set({
      ...exit,
      reason: exit.reason && JSON.stringify(exit.reason),
      state: 'exited',
      stopReason: sql<string | null>`coalesce(stop_reason, (select s.exit_reason from agent_sessions s
        where s.run_id = ${runId} order by s.created_at desc, s.id desc limit 1))`,
    })
    .where('id', '=', runId)
    .where('state', '<>', 'exited')
    .execute();
}

export async function revokeTickets(db: Queryable, runId: string, now: Date): Promise<void> {
  await db
    .updateTable('launchTickets')
    .set({ revokedAt: now })
    .where('runId', '=', runId)
    .where('revokedAt', 'is', null)
    .execute();
}

/** A run without launch ticket could not have signed in; false: it has one. */
export async function refuseSignInWithoutTicket(db: Queryable, runId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agentRuns as r')
    .set({ signInRefusedAt: now })
    .where('r.id', '=', runId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('launchTickets as t').select('t.runId').whereRef('t.runId', '=', 'r.id'))),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Crashes of a chat since the agent last answered in it, and since its last system line; our own stops and
 * lost hosts do not count. The time of each is one step into an index.
 */
export async function crashesInARow(db: Queryable, membership: MembershipKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from agent_runs r
    where r.agent_id = ${membership.agentId} and r.project_id = ${membership.projectId}
      and r.exit_cause in ('crashed', 'could_not_start') and r.purpose = 'chat'
      and r.ended_at > coalesce((select m.answered_at from chat_messages m
        where m.deliver_to = ${membership.agentId} and m.project_id = ${membership.projectId} and m.state = 'answered'
        order by m.answered_at desc limit 1), '-infinity')
      and r.ended_at > coalesce((select m.created_at from chat_messages m
        where m.thread_id = ${chatThreadId(membership.projectId, membership.agentId)} and m.visible and m.sender = 'system'
        order by m.seq desc limit 1), '-infinity')`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Reported as lost, with a reason, since the last run of the agent that ended in another way. */
export async function reportedLostInARow(
  db: Queryable,
  run: Pick<WorkKey, 'agentId' | 'projectId' | 'purpose'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from agent_runs r
    where r.agent_id = ${run.agentId} and r.project_id = ${run.projectId} and r.purpose = ${run.purpose}
      and r.exit_cause = 'lost' and r.error is not null
      and r.ended_at > coalesce((select o.ended_at from agent_runs o
        where o.agent_id = ${run.agentId} and o.project_id = ${run.projectId} and o.exit_cause <> 'lost'
        order by o.ended_at desc limit 1), '-infinity')`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Runs whose end nobody would report and that began before `since`, the oldest first, after the position
 * `after`.
 */
export async function unwatchedRuns(
  db: Queryable,
  { since, after, limit }: { since: Date; after: UnwatchedRun | null; limit: number },
): Promise<UnwatchedRun[]> {
  const { rows } = await sql<UnwatchedRun>`
    select r.id, r.started_at from agent_runs r
    where ${unwatched(since)}
      and (r.started_at, r.id) > (${after?.startedAt ?? new Date(0)}, ${after?.id ?? ''})
    order by r.started_at, r.id limit ${limit}`.execute(db);
  return rows;
}

export async function isUnwatched(db: Queryable, runId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`select from agent_runs r where r.id = ${runId} and ${unwatched(since)}`.execute(
    db,
  );
  return rows.length > 0;
}

/** `r` is a run whose end nobody would report. */
const unwatched = (since: Date) => sql`${sql.raw(NOBODY_WATCHES)} and r.started_at <= ${since}
  and not exists (select from agent_sessions s where s.run_id = r.id
    and (s.state <> 'ended' or s.ended_at > ${since}))`;

/** Since the start, or since its session ended: a process may need this long to leave and be reported. */
export const UNWATCHED_MS = 60_000;

/** `r` is a run without a Coordinator and without a wake-up. */
const NOBODY_WATCHES = `r.state <> 'exited'
  and not exists (select from coordinators c where c.id = r.coordinator_id)
  and not exists (select from pending_agent_purposes p where p.run_id = r.id)`;

/** When each of them is given up (sweep-step.ts). */
export const UNWATCHED_DEADLINES = `
  select greatest(r.started_at, (select max(s.ended_at) from agent_sessions s where s.run_id = r.id))
    + interval '${UNWATCHED_MS} ms' as at
  from agent_runs r where ${NOBODY_WATCHES}
    and not exists (select from agent_sessions s where s.run_id = r.id and s.state <> 'ended')`;
