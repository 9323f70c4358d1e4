import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** `d` (task_dependencies) waits for a task that is not done; cancelled and deleted ones are waited for no more. */
const UNFINISHED = `exists (select from tasks b where b.id = d.depends_on_id and b.deleted_at is null and b.status not in ('done', 'cancelled'))`;

/** The tasks for which this one still waits. */
export async function unfinishedDependencies(db: Queryable, taskId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select d.depends_on_id as id from task_dependencies d
    where d.task_id = ${taskId} and ${sql.raw(UNFINISHED)} order by 1`.execute(db);
  return rows.map(({ id }) => id);
}

/** Those of these tasks of AI agents that wait in todo and may begin: what they wait for is done, or nothing any more. */
export async function startableTasks(db: Queryable, taskIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from tasks t
    where t.id = any(${taskIds}::text[]) and t.status = 'todo' and t.deleted_at is null
      and exists (select from task_dependencies d join tasks b on b.id = d.depends_on_id
        where d.task_id = t.id and b.status = 'done' and b.deleted_at is null)
      and exists (select from project_agents pa join agents a on a.id = pa.agent_id
        where pa.project_id = t.project_id and pa.agent_id = t.assignee_id and a.type = 'ai' and a.deleted_at is null)
      and not exists (select from task_dependencies d where d.task_id = t.id and ${sql.raw(UNFINISHED)})
    order by t.created_at, t.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The tasks that wait for this one. */
export async function idsOfDependents(db: Queryable, taskId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select task_id as id from task_dependencies where depends_on_id = ${taskId}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The tasks that wait for this one, with all for which each of them waits. */
export async function dependentsOf(
  db: Queryable,
  taskId: string,
): Promise<{ id: string; dependsOn: string[] }[]> {
  const { rows } = await sql<{ id: string; dependsOn: string[] }>`
    select t.id, array_agg(d.depends_on_id) as depends_on
    from task_dependencies w join tasks t on t.id = w.task_id and t.deleted_at is null
      join task_dependencies d on d.task_id = t.id
    where w.depends_on_id = ${taskId} group by t.id order by t.id`.execute(db);
  return rows;
}

/** The tasks that are part of this one. */
export async function partsOf(db: Queryable, taskId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from tasks where parent_id = ${taskId} and deleted_at is null order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The agents and people to whom the tasks are assigned that wait for this one. */
export async function assigneesOfDependents(db: Queryable, taskId: string): Promise<string[]> {
  const { rows } = await sql<{ assigneeId: string }>`
    select distinct t.assignee_id from task_dependencies d join tasks t on t.id = d.task_id and t.deleted_at is null
    where d.depends_on_id = ${taskId} and t.assignee_id is not null`.execute(db);
  return rows.map(({ assigneeId }) => assigneeId);
}
