import type { Tx } from '../../platform/db/database.ts';
import { endWork, lockWorkers } from './change-work.ts';
import { workersOfProject } from './lock-queries.ts';

/**
 * The project is paused, its row locked: who works on a task in it is told to leave, starts are taken back. The tasks stay
 * in progress; when the project is active again, the sweeper wakes for them (sweep-unworked-tasks.ts).
 */
export async function pauseWork(tx: Tx, projectId: string, now: Date): Promise<void> {
  const works = await workersOfProject(tx.db, projectId);
  await lockWorkers(
    tx,
    projectId,
    works.map(({ agentId }) => agentId),
  );
  for (const { agentId, taskId } of works)
    await endWork(
      tx,
      { projectId, agentId, purpose: 'task', taskId },
      { reason: 'project_paused', outcome: 'stopped', isWaitKept: true, now },
    );
}
