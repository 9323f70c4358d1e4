import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/**
 * Serialises changes of a project's tasks: two that each close half a circle would not see one another. The weaker lock
 * does not block messages and sessions of the project (their foreign keys only take `key share`).
 */
export async function lockTasksOfProject(db: Queryable, projectId: string): Promise<void> {
  await db.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
}

/** In the order of their ids, as everybody locks several memberships. */
export async function lockWorkersQuery(
  db: Queryable,
  projectId: string,
  agentIds: readonly string[],
): Promise<void> {
  await sql`select agent_id from project_agents
    where project_id = ${projectId} and agent_id = any(${agentIds}::text[])
    order by agent_id for update`.execute(db);
}

/** The agents that work on a task of the project, or are started for one, in the order of their ids. */
export async function workersOfProject(
  db: Queryable,
  projectId: string,
): Promise<{ agentId: string; taskId: string }[]> {
  const { rows } = await sql<{ agentId: string; taskId: string }>`
    select agent_id, task_id from pending_agent_purposes where project_id = ${projectId} and purpose = 'task'
    union select agent_id, task_id from agent_sessions
    where project_id = ${projectId} and purpose = 'task' and state <> 'ended'
    order by agent_id, task_id`.execute(db);
  return rows;
}
