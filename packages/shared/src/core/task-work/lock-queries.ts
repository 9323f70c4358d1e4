import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

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
