import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { WorkKey } from '../rules/work-key.ts';
import { isTakenOver } from './rules/take-over.ts';
import { findEarlierRun, giveWorktree, hasLeftWork } from './take-over-queries.ts';
import { lockWorktree } from './worktree-queries.ts';

/**
 * Gives the run that was just opened the worktree of the interrupted run before it. Returns the run that this worktree was
 * made for; undefined: the run gets a new one. Only on the Coordinator that has the folder.
 */
export async function takeOverWorktree(
  tx: Tx,
  run: { readonly id: string; readonly work: WorkKey; readonly coordinatorId: string | undefined },
): Promise<string | undefined> {
  const { projectId, agentId } = run.work;
  const earlier = await findEarlierRun(tx.db, run.work, run.id);
  if (earlier === undefined) return undefined;
  const worktree = await lockWorktree(tx.db, earlier.id);
  if (worktree === null || worktree.coordinatorId !== run.coordinatorId) return undefined;
  if (!isTakenOver(worktree, { ...earlier, hasLeftWork: await hasLeftWork(tx.db, run.work) }))
    return undefined;
  await giveWorktree(tx.db, earlier.id, run.id);
  await appendChangeEvents(tx, [{ kind: 'run', projectId, ref: { runId: earlier.id, agentId } }]);
  return worktree.madeFor;
}
