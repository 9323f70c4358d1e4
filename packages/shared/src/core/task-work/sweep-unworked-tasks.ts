import { SessionQueries } from '../sessions/session-queries.ts';
import { rowStep } from '../sweep-step.ts';
import { lockTasksOfProject } from './lock-queries.ts';
import { wakeTask } from './wake-task.ts';
import { type DueTask, unworkedTasks as findUnworked, UNWORKED_DEADLINES, YOUNG_MS } from './work-queries.ts';

/**
 * A task in progress that nobody works on, and nobody is started for, gets its wake-up: its project was paused, its agent
 * has come back, or nobody took the one before in time.
 */
export const unworkedTasks = rowStep<DueTask>({
  deadlines: UNWORKED_DEADLINES,
  candidates: ({ deps }, after, limit) => {
    const before = new Date(deps.clock.now().getTime() - YOUNG_MS);
    return findUnworked(deps.database.db, { before, after, limit });
  },
  nameOf: ({ projectId, agentId, taskId }) => `${projectId}/${agentId}/${taskId}`,
  act: ({ deps }, task) =>
    deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      // A pause has read who works in the project: nobody may be woken behind it.
      await lockTasksOfProject(tx.db, task.projectId);
      await sessions.lockMembership(task.projectId, task.agentId);
      return wakeTask(tx, task, { now: await tx.now() });
    }),
});
