import type { Reason } from '../../contract/reason.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { crashBackoffMs, MAX_CRASHES_IN_A_ROW } from '../runs/rules/run-machine.ts';
import { reasonOf } from '../wake-ups/start-reason.ts';
import { type StartError, WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { closeAttempt } from './attempt-queries.ts';
import { blockFailedTask } from './block-task.ts';
import { wakeTask } from './wake-task.ts';
import { countFailure } from './work-queries.ts';

/*
 * How attempts end that nobody has ended by a change of the task. The membership is locked.
 */

/** Of a process that said nothing. */
export const NO_ERROR: StartError = { error: null, exitCode: null, signal: null, lastLine: null };

/**
 * An attempt ended without a report: the agent is started again after a pause, and after the third failure in a row the
 * task is blocked with the reason. Nothing happens when the attempt has ended before, or the task is its work no more.
 */
export async function taskFailed(
  tx: Tx,
  work: WorkKey,
  { error, now }: { error: StartError; now: Date },
): Promise<void> {
  const key = workKeyOf(work);
  const { summary, summaryReason } = saidOf(error);
  if (!(await closeAttempt(tx.db, key, { outcome: 'crashed', summary, summaryReason, now }))) return;
  const counted = await countFailure(tx.db, key);
  const wakeUps = new WakeUpQueries(tx.db);
  if (counted === undefined) return;
  if (counted.failures >= MAX_CRASHES_IN_A_ROW) {
    await wakeUps.remove({ ...key, outcome: 'expired', now });
    await blockFailedTask(tx, key, { failures: counted.failures, reason: summary, now });
    return;
  }
  const notBefore = new Date(now.getTime() + crashBackoffMs(counted.failures));
  await wakeTask(tx, key, { now, notBefore });
  await wakeUps.setStartFailed({ ...key, failedStarts: counted.failures, notBefore, error });
}

/** An attempt ended for a reason that is not its own: the agent is started again at once, when it is still its work. */
export async function taskStopped(tx: Tx, work: WorkKey, now: Date): Promise<void> {
  const key = workKeyOf(work);
  await closeAttempt(tx.db, key, { outcome: 'stopped', now });
  await wakeTask(tx, key, { now });
}

/** Nulls: nothing is known of it. */
function saidOf(failure: StartError): { summary: string | null; summaryReason: Reason | null } {
  const { error, exitCode, signal, lastLine } = failure;
  const end = error ?? (signal !== null ? signal : exitCode !== null ? `exit code ${exitCode}` : null);
  const parts = [end, lastLine].filter((part) => part !== null && part !== '');
  const reason = reasonOf(failure);
  return {
    summary: parts.length === 0 ? null : parts.join('\n'),
    summaryReason: reason && { ...reason, params: { ...reason.params, ...(lastLine && { lastLine }) } },
  };
}
