import type { Queryable } from '../../platform/db/database.ts';
import type { WorkKey } from '../rules/work-key.ts';
import { endOfColumn } from '../tasks/rules/task-place.ts';

/** False: it is not the work of this agent any more. */
export async function setBlocked(
  db: Queryable,
  { projectId, agentId, taskId }: WorkKey,
  now: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('tasks')
    .set((eb) => ({
      status: 'blocked',
      position: endOfColumn(now),
      version: eb('version', '+', 1),
      updatedAt: now,
    }))
    .where('id', '=', taskId)
    .where('projectId', '=', projectId)
    .where('assigneeId', '=', agentId)
    .where('status', '=', 'in_progress')
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
