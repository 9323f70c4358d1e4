import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { closeAttempt } from './attempt-queries.ts';
import { setBlocked } from './block-queries.ts';

/** The task waits for a person: nothing starts for it by itself any more. The membership is locked. */
export async function blockFailedTask(
  tx: Tx,
  key: WorkKey,
  why: { failures: number; reason: string | null; now: Date },
): Promise<void> {
  if (!(await setBlocked(tx.db, key, { byId: null, now: why.now }))) return;
  await appendChangeEvents(tx, [{ kind: 'task', projectId: key.projectId, ref: { taskId: key.taskId } }]);
}

/**
 * A person has stopped the process of a task: nothing starts by itself, so the task is blocked until somebody moves it on.
 * `work`: that of the run; a newer attempt of another run stays.
 */
export async function stopTask(
  tx: Tx,
  work: WorkKey & { readonly id: string },
  { personId, now }: { personId: string; now: Date },
): Promise<void> {
  const key = workKeyOf(work);
  if (!(await closeAttempt(tx.db, key, { outcome: 'stopped', runId: work.id, now }))) return;
  if (!(await setBlocked(tx.db, key, { byId: personId, now }))) return;
  await appendChangeEvents(tx, [{ kind: 'task', projectId: key.projectId, ref: { taskId: key.taskId } }]);
}
