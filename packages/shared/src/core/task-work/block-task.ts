import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { changesOf } from '../tasks/rules/task-history.ts';
import { closeAttempt } from './attempt-queries.ts';
import { setBlocked } from './block-queries.ts';
import { insertHistory } from './history-queries.ts';

/** The task waits for a person: nothing starts for it by itself any more. The membership is locked. */
export async function blockFailedTask(
  tx: Tx,
  key: WorkKey,
  why: { failures: number; reason: string | null; now: Date },
): Promise<void> {
  await block(tx, key, { byId: null, now: why.now });
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
  await block(tx, key, { byId: personId, now });
}

async function block(tx: Tx, key: WorkKey, { byId, now }: { byId: string | null; now: Date }): Promise<void> {
  const { projectId, taskId } = key;
  if (!(await setBlocked(tx.db, key, now))) return;
  const changes = changesOf({ status: 'in_progress' }, { status: 'blocked' });
  await insertHistory(tx.db, { taskId, byId, changes, now });
  await appendChangeEvents(tx, [{ kind: 'task', projectId, ref: { taskId } }]);
}
