import { sql } from 'kysely';
import { z } from 'zod';
import type { Reason } from '../../contract/reason.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey, WorkKey } from '../rules/work-key.ts';
import { ATTEMPT_OUTCOMES, type AttemptOutcome } from './rules/task-work.ts';

/** One try of an agent at a task: from the start of its process, or its sign-in, to its end. */
export interface Attempt {
  readonly n: number;
  readonly agentId: string;
  readonly runId: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: AttemptOutcome | null;
  readonly summary: string | null;
}

export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  /** Only when it is the attempt of this run. */
  readonly runId?: string;
  readonly summary?: string | null;
  /** The summary for each reader in its language. */
  readonly summaryReason?: Reason | null;
  readonly now: Date;
}

const outcomeSchema = z.enum(ATTEMPT_OUTCOMES).nullable();

/** Opens the next attempt. Of a task there is at most one that is open: whatever was left open has stopped. */
export async function openAttempt(
  db: Queryable,
  work: { taskId: string; agentId: string; runId: string | null; now: Date },
): Promise<void> {
  const { taskId, agentId, runId, now } = work;
  await sql`update task_attempts set ended_at = ${now}, outcome = 'stopped'
    where task_id = ${taskId} and ended_at is null`.execute(db);
  await sql`insert into task_attempts (task_id, n, agent_id, run_id, started_at)
    select ${taskId}, coalesce(max(n), 0) + 1, ${agentId}, ${runId}, ${now}
    from task_attempts where task_id = ${taskId}`.execute(db);
}

/** False: the agent has no open attempt at the task. */
export async function closeAttempt(
  db: Queryable,
  { taskId, agentId }: Pick<WorkKey, 'taskId' | 'agentId'>,
  { outcome, runId, summary = null, summaryReason = null, now }: AttemptEnd,
): Promise<boolean> {
  const result =
    await sql`update task_attempts set ended_at = ${now}, outcome = ${outcome}, summary = ${summary},
      reason = ${summaryReason && JSON.stringify(summaryReason)}::jsonb
    where task_id = ${taskId} and agent_id = ${agentId} and ended_at is null
      and (${runId ?? null}::text is null or run_id = ${runId ?? null})`.execute(db);
  return Number(result.numAffectedRows ?? 0) > 0;
}

/** The attempts of an agent that leaves the project. */
export async function closeAttemptsOf(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  { outcome, now }: AttemptEnd,
): Promise<void> {
  await sql`update task_attempts a set ended_at = ${now}, outcome = ${outcome}
    from tasks t where t.id = a.task_id and t.project_id = ${projectId}
      and a.agent_id = ${agentId} and a.ended_at is null`.execute(db);
}

/** The number of the newest attempt of this agent: that of its session. Undefined: it has made none. */
export async function newestAttemptOf(
  db: Queryable,
  { taskId, agentId }: Pick<WorkKey, 'taskId' | 'agentId'>,
): Promise<number | undefined> {
  const { rows } = await sql<{ n: number }>`select n from task_attempts
    where task_id = ${taskId} and agent_id = ${agentId} order by n desc limit 1`.execute(db);
  return rows[0]?.n;
}

/**
 * What the session of this run, or without one the newest that signed in by passkey, has reported: only a report has a
 * summary. Undefined: nothing.
 */
export async function ownReport(
  db: Queryable,
  { taskId, agentId, runId }: Pick<WorkKey, 'taskId' | 'agentId'> & { readonly runId: string | null },
): Promise<'done' | 'blocked' | undefined> {
  const { rows } = await sql<{ outcome: string | null; summary: string | null }>`
    select outcome, summary from task_attempts
    where task_id = ${taskId} and agent_id = ${agentId} and run_id is not distinct from ${runId}
    order by n desc limit 1`.execute(db);
  const [last] = rows;
  const isReport = last?.summary != null && (last.outcome === 'done' || last.outcome === 'blocked');
  return isReport ? z.enum(['done', 'blocked']).parse(last.outcome) : undefined;
}

/** Whether the attempt of this run has failed. */
export async function hasFailedAttempt(db: Queryable, runId: string): Promise<boolean> {
  const { rows } =
    await sql`select from task_attempts where run_id = ${runId} and outcome = 'crashed'`.execute(db);
  return rows.length > 0;
}

/** The newest that have ended, oldest first. */
export async function endedAttempts(db: Queryable, taskId: string, limit: number): Promise<Attempt[]> {
  const { rows } = await sql<Omit<Attempt, 'outcome'> & { outcome: string | null }>`
    select n, agent_id, run_id, started_at, ended_at, outcome, left(summary, 4000) as summary
    from task_attempts where task_id = ${taskId} and ended_at is not null order by n desc limit ${limit}`.execute(
    db,
  );
  return rows.reverse().map((row) => ({ ...row, outcome: outcomeSchema.parse(row.outcome) }));
}
