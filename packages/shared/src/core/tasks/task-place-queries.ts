import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { TaskStatus } from './rules/task-status.ts';

interface Column {
  readonly projectId: string;
  readonly status: TaskStatus;
}

/** The position of a task of this column; undefined: it stands in another. */
export async function positionIn(db: Queryable, column: Column, taskId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('tasks')
    .select('position')
    .where('id', '=', taskId)
    .where('projectId', '=', column.projectId)
    .where('status', '=', column.status)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row?.position;
}

/** The smallest position in a column above `position` (of all: null), without the task that moves. */
export async function nextPosition(
  db: Queryable,
  { projectId, status }: Column,
  { above, without }: { above: { position: number; id: string } | null; without: string },
): Promise<number | null> {
  const { rows } = await sql<{ position: number | null }>`
    select position from tasks
    where project_id = ${projectId} and status = ${status} and deleted_at is null and id <> ${without}
      and ${above === null ? sql`true` : sql`(position, id) > (${above.position}, ${above.id})`}
    order by position, id limit 1`.execute(db);
  return rows[0]?.position ?? null;
}

/**
 * Gives the tasks of a column, without the one that moves, positions that are one apart, in their order; the last keeps
 * its own. Returns the ids of those that got another. Nobody has changed them: their version stays, so that it stands
 * against no change that a person is making.
 */
export async function spreadColumn(
  db: Queryable,
  { projectId, status }: Column,
  { without }: { without: string },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update tasks set position = o.position
    from (select id, max(position) over () - count(*) over () + row_number() over (order by position, id) as position
      from tasks where project_id = ${projectId} and status = ${status} and deleted_at is null and id <> ${without}) o
    where tasks.id = o.id and tasks.position <> o.position returning tasks.id`.execute(db);
  return rows.map(({ id }) => id);
}
