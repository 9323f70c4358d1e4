import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { WorkKey } from '../rules/work-key.ts';

/** A task in progress whose AI agent is still there to do it. */
export interface DueTask extends WorkKey {
  readonly projectId: string;
  /** Of a person who began it; null: an agent did, or it began by itself. */
  readonly startedBy: string | null;
  readonly updatedAt: Date;
}

/** `t` is work for an agent that can be started: it is in progress, and its project active. */
const IS_WORK = `t.status = 'in_progress' and t.deleted_at is null
  and exists (select from projects p where p.id = t.project_id and p.status = 'active' and p.deleted_at is null)
  and exists (select from project_agents pa join agents a on a.id = pa.agent_id
    where pa.project_id = t.project_id and pa.agent_id = t.assignee_id and a.type = 'ai' and a.deleted_at is null offset 0)`;

/**
 * Nobody works on `t`, nor is anybody started for it. offset 0: a few steps into the indexes for each task in progress,
 * never a join that reads all sessions and runs there ever were.
 */
const IS_UNWORKED = `not exists (select from pending_agent_purposes w where w.agent_id = t.assignee_id
    and w.project_id = t.project_id and w.purpose = 'task' and w.task_id = t.id offset 0)
  and not exists (select from agent_sessions s where s.agent_id = t.assignee_id and s.project_id = t.project_id
    and s.purpose = 'task' and s.task_id = t.id and s.state <> 'ended' offset 0)
  and not exists (select from agent_runs r where r.agent_id = t.assignee_id and r.project_id = t.project_id
    and r.purpose = 'task' and r.task_id = t.id and r.state <> 'exited' offset 0)`;

/** What has changed just now is being worked on by its own transaction. */
export const YOUNG_MS = 2_000;

export const UNWORKED_DEADLINES = `
  select t.updated_at + interval '${YOUNG_MS} ms' as at from tasks t where ${IS_WORK} and ${IS_UNWORKED}`;

/** The longest unchanged first, after the position `after`. */
export async function unworkedTasks(
  db: Queryable,
  { before, after, limit }: { before: Date; after: DueTask | null; limit: number },
): Promise<DueTask[]> {
  const { rows } = await sql<DueTask>`
    select t.project_id, t.assignee_id as agent_id, 'task' as purpose, t.id as task_id, t.started_by, t.updated_at
    from tasks t
    where ${sql.raw(IS_WORK)} and ${sql.raw(IS_UNWORKED)} and t.updated_at <= ${before}
      and (t.updated_at, t.id) > (${after?.updatedAt ?? new Date(0)}, ${after?.taskId ?? ''})
    order by t.updated_at, t.id limit ${limit}`.execute(db);
  return rows;
}

/** The person who began a task that needs a session. Undefined: it has one, or is not the work of this agent. */
export async function findWork(
  db: Queryable,
  { projectId, agentId, taskId }: WorkKey,
): Promise<{ startedBy: string | null } | undefined> {
  const { rows } = await sql<{ startedBy: string | null }>`
    select t.started_by from tasks t
    where t.id = ${taskId} and t.project_id = ${projectId} and t.assignee_id = ${agentId} and ${sql.raw(IS_WORK)}
      and not exists (select from agent_sessions s where s.agent_id = ${agentId} and s.project_id = ${projectId}
        and s.purpose = 'task' and s.task_id = ${taskId} and s.state = 'active')`.execute(db);
  return rows[0];
}

/** Somebody has begun it: who may be asked, whose chain it continues, and that nothing has failed yet. */
export async function setBegun(
  db: Queryable,
  taskId: string,
  { startedBy, chainId }: { startedBy: string | null; chainId: string | null },
): Promise<void> {
  await db.updateTable('tasks').set({ startedBy, chainId, failures: 0 }).where('id', '=', taskId).execute();
}

/** One more failure in a row of this agent's work; undefined: it is not its work any more. */
export async function countFailure(
  db: Queryable,
  { projectId, agentId, taskId }: WorkKey,
): Promise<{ failures: number; startedBy: string | null } | undefined> {
  return db
    .updateTable('tasks')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('id', '=', taskId)
    .where('projectId', '=', projectId)
    .where('assigneeId', '=', agentId)
    .where('status', '=', 'in_progress')
    .where('deletedAt', 'is', null)
    .returning(['failures', 'startedBy'])
    .executeTakeFirst();
}

/** The session continues the chain of the agent that began its task. */
export async function takeChainOfTask(db: Queryable, sessionId: string): Promise<void> {
  await sql`update agent_sessions s set chain_id = t.chain_id from tasks t
    where s.id = ${sessionId} and t.id = s.task_id and t.chain_id is not null`.execute(db);
}

/** The session is about to be told its task. True: it was before. */
export async function noteTaskOffered(db: Queryable, sessionId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ repeat: boolean }>`
    update agent_sessions s set task_offered_at = ${now}
    from (select id, task_offered_at from agent_sessions where id = ${sessionId}) old
    where s.id = old.id returning old.task_offered_at is not null as repeat`.execute(db);
  return rows[0]?.repeat ?? false;
}
