import type { Tx } from '../../platform/db/database.ts';
import type { WorkKey } from '../rules/work-key.ts';
import { wake } from '../wake-ups/wake.ts';
import { findWork } from './work-queries.ts';

/**
 * Wakes the agent for a task that is its work, unless it is woken already; never for another reason. The membership is
 * locked. True when this call made the wake-up.
 */
export async function wakeTask(
  tx: Tx,
  key: WorkKey,
  { now, notBefore = null }: { now: Date; notBefore?: Date | null },
): Promise<boolean> {
  const work = await findWork(tx.db, key);
  return work !== undefined && (await wake(tx, key, { openedBy: work.startedBy, notBefore, now }));
}
