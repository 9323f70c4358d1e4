import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { type MembershipKey, type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { overLimitSql } from '../usage/daily-limit-queries.ts';
import { PER_WORK_SQL } from './per-work-queries.ts';
import { tasksInWorkSql } from './startable-queries.ts';

/** A live AI agent with the columns that a start needs. */
export interface StartableAgent {
  readonly provider: string;
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly command: unknown;
  readonly limits: unknown;
  readonly image: string | null;
  readonly executor: 'any' | 'docker';
  /** Of its project. */
  readonly egress: string[] | null;
  readonly hasCredential: boolean;
  readonly projectStatus: 'active' | 'paused' | 'archived';
  /** Tasks of the agent in this project. */
  readonly inProgress: number;
  readonly blocked: number;
  /** How many more tasks it may begin, in all its projects together. */
  readonly taskSlots: number;
  /** It has used its tokens of today. */
  readonly isOverLimit: boolean;
  /** Its program is started for its work, in a folder that the agents of the project share. */
  readonly reservesFolder: boolean;
}

/**
 * Two starts of one agent in different projects never take its last place for a task (I-9). Before the lock
 * of the membership (platform/db/lock-order.ts).
 */
export async function lockTasksOf(db: Queryable, agentId: string): Promise<void> {
  await db.selectFrom('agents').select('id').where('id', '=', agentId).forNoKeyUpdate().execute();
}

/** Undefined: the agent or the project does not exist. */
export async function findStartableAgent(
  db: Queryable,
  membership: MembershipKey,
  now: Date,
): Promise<StartableAgent | undefined> {
  const { rows } = await sql<StartableAgent>`
    select a.provider, a.model, a.base_url, a.api_key_env, a.command, a.limits, a.image, a.executor, c.agent_id is not null as has_credential,
      p.status as project_status, p.egress,
      (select count(*)::int from tasks t where t.project_id = p.id and t.assignee_id = a.id
        and t.status = 'in_progress' and t.deleted_at is null) as in_progress,
      (select count(*)::int from tasks t where t.project_id = p.id and t.assignee_id = a.id
        and t.status = 'blocked' and t.deleted_at is null) as blocked,
      (a.max_parallel_tasks - ${sql.raw(tasksInWorkSql('a.id'))})::int as task_slots,
      ${sql.raw(overLimitSql('a.id', 'clock.now'))} as is_over_limit,
      p.isolation = 'shared' and ${sql.raw(PER_WORK_SQL)} as reserves_folder
    from (select ${now}::timestamptz as now) clock cross join agents a
    join projects p on p.id = ${membership.projectId} and p.deleted_at is null
    left join agent_credentials c on c.agent_id = a.id
    where a.id = ${membership.agentId} and a.type = 'ai' and a.deleted_at is null`.execute(db);
  return rows[0];
}

/** The facts that decide whether each of these tasks may be started now. */
export async function findTasksOfStart(
  db: Queryable,
  membership: MembershipKey,
  taskIds: readonly string[],
): Promise<{ taskId: string; isInProgress: boolean; isProcessLeft: boolean }[]> {
  const { rows } = await sql<{ taskId: string; isInProgress: boolean; isProcessLeft: boolean }>`
    select w.task_id,
      exists (select from tasks t where t.id = w.task_id and t.project_id = ${membership.projectId}
        and t.assignee_id = ${membership.agentId} and t.status = 'in_progress' and t.deleted_at is null) as is_in_progress,
      exists (select from agent_runs r where r.agent_id = ${membership.agentId} and r.project_id = ${membership.projectId}
        and r.task_id = w.task_id and r.purpose = 'task' and r.state <> 'exited') as is_process_left
    from unnest(${taskIds}::text[]) w (task_id)`.execute(db);
  return rows;
}

/** Marks the earlier runs for the same work as followed: their ends do not wait for anybody any more. */
export async function setFollowed(db: Queryable, key: WorkKey): Promise<void> {
  await db
    .updateTable('agentRuns')
    .set({ followed: true })
    .where((eb) => eb.and(workKeyOf(key)))
    .where('followed', '=', false)
    .execute();
}

export async function insertRun(
  db: Queryable,
  run: WorkKey & {
    id: string;
    conversationId: string | null;
    coordinatorId: string | null;
    provider: string;
    model: string | null;
    reservesFolder: boolean;
    startedAt: Date;
  },
): Promise<void> {
  await db.insertInto('agentRuns').values(run).execute();
}

export async function insertTicket(
  db: Queryable,
  ticket: MembershipKey & { ticketHash: string; runId: string; createdAt: Date },
): Promise<void> {
  await db.insertInto('launchTickets').values(ticket).execute();
}

/** @throws when the project does not exist. */
export async function findWorkingDirectory(
  db: Queryable,
  projectId: string,
): Promise<{
  workingDirectory: string;
  workingDirectoryMade: boolean;
  isolation: 'shared' | 'worktree';
}> {
  const project = await db
    .selectFrom('projects')
    .select(['workingDirectory', 'workingDirectoryMade', 'isolation'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return { ...project, isolation: project.isolation === 'worktree' ? 'worktree' : 'shared' };
}

/** What is known about the cause of a failed start; `state`: of its run. */
export function findStartFacts(
  db: Queryable,
  start: { readonly agentId: string; readonly runId: string | null },
): Promise<{ credentialOf: string | null; signInRefusedAt: Date | null; state: string | null } | undefined> {
  return db
    .selectFrom('agents as a')
    .leftJoin('agentCredentials as c', 'c.agentId', 'a.id')
    .leftJoin('agentRuns as r', (join) => join.on('r.id', '=', start.runId))
    .select(['c.agentId as credentialOf', 'r.signInRefusedAt', 'r.state'])
    .where('a.id', '=', start.agentId)
    .executeTakeFirst();
}
