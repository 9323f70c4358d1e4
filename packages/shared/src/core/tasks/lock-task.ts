import type { Tx } from '../../platform/db/database.ts';
import { lockWorkers } from '../task-work/change-work.ts';
import { lockTasksOfProject } from '../task-work/lock-queries.ts';
import { assigneesOfDependents } from './dependency-queries.ts';
import { TaskQueries } from './task-queries.ts';

/**
 * The locks of a change of tasks, before the tasks themselves and before any session: the project against other changes of
 * its tasks, then the memberships of all whose work may begin or end by it, which are its assignee, `agentIds`, and the
 * assignees of the tasks that wait for it.
 */
export async function lockForChange(
  tx: Tx,
  task: { readonly projectId: string; readonly id?: string; readonly assigneeId?: string | null | undefined },
  agentIds: readonly (string | null | undefined)[] = [],
): Promise<void> {
  await lockTasksOfProject(tx.db, task.projectId);
  // Read again: it may have been assigned to somebody else before the lock.
  const current = task.id === undefined ? undefined : await new TaskQueries(tx.db).find(task.id);
  const waiting = task.id === undefined ? [] : await assigneesOfDependents(tx.db, task.id);
  await lockWorkers(tx, task.projectId, [current?.assigneeId ?? task.assigneeId, ...agentIds, ...waiting]);
}
