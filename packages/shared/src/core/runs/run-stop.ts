import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { setStopRequested } from './run-process-queries.ts';

/**
 * Asks the Coordinator of the run to end the process; the first reason is kept. False when the stop was
 * requested before, or the run is over.
 */
export async function requestRunStop(tx: Tx, runId: string, reason: string, now: Date): Promise<boolean> {
  const rows = await setStopRequested(tx.db, runId, { reason, now });
  for (const run of rows)
    await appendChangeEvents(tx, [
      { kind: 'run', projectId: run.projectId, ref: { runId, agentId: run.agentId } },
    ]);
  if (rows.length > 0) tx.dirty(keys.work);
  return rows.length > 0;
}
