import type { Reason } from '../../contract/reason.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { AppError } from '../../platform/errors.ts';
import type { SystemTextCode } from '../../platform/texts/system-texts.ts';
import { type ChatTx, chatTransaction, storeSystemMessage } from '../chat/chat-transaction.ts';
import { failWaiting } from '../chat/delivery/redeliver-messages.ts';
import { conversationsNotWoken } from '../conversations/conversation-sides.ts';
import type { ServiceDeps } from '../deps.ts';
import { endAfterOldEnd } from '../sessions/late-leave.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { followsOldEnd } from '../sessions/rules/old-end.ts';
import { endSession, type SessionEndCause } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { taskFailed, taskStopped } from '../task-work/attempt-ends.ts';
import { lastLinesOf } from '../wake-ups/last-lines.ts';
import { decideStartFailure } from '../wake-ups/rules/wake-up-machine.ts';
import { resumeWakeUp } from '../wake-ups/wake.ts';
import { giveUp, startErrorParams } from '../wake-ups/wake-up-expiry.ts';
import { type StartError, WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { readRunEnd } from './read-run-end.ts';
import {
  crashBackoffMs,
  type ExitCause,
  isCrash,
  isZero,
  MAX_CRASHES_IN_A_ROW,
} from './rules/run-machine.ts';
import {
  crashesInARow,
  type EndingRun,
  findMembershipOfRun,
  lockRun,
  refuseSignInWithoutTicket,
  reportedLostInARow,
  revokeTickets,
  setExited,
} from './run-exit-queries.ts';

export interface RunExit {
  readonly runId: string;
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly error?: string | undefined;
  readonly reason?: Reason | undefined;
  /** The action of the Coordinator itself: it ended the process (its own stop), could not start it, or lost its node. */
  readonly cause?: 'finished' | 'crashed' | 'killed' | 'could_not_start' | 'lost' | undefined;
  readonly stderrTail?: string | undefined;
  /** Who reports it: of another Coordinator, it knows nothing of the run. */
  readonly coordinatorId?: string | undefined;
}

/**
 * A process has ended. Only what belongs to this run ends with it (trap 8): its session returns what it held,
 * its started wake-up is tried again, or given up. Idempotent; refused with run_lost for a run that was given
 * up before, or belongs to another Coordinator. A caller that gives a run up passes `isStillTrue`, which checks under the locks of the
 * membership and the run whether the reason still holds.
 */
export async function noteRunExit(
  deps: ServiceDeps,
  exit: RunExit,
  forced?: ExitCause,
  isStillTrue?: (tx: ChatTx) => Promise<boolean>,
): Promise<void> {
  const found = await findMembershipOfRun(deps.database.db, exit.runId);
  if (!found) throw new AppError('run_not_found', 'There is no such run.');
  await chatTransaction(deps, async (tx) => {
    await new SessionQueries(tx.db).lockMembership(found.projectId, found.agentId);
    const run = await lockRun(tx.db, exit.runId);
    if (run.state === 'exited') {
      if (run.exitCause === 'lost' && forced === undefined)
        throw new AppError(
          'run_lost',
          'This run was given up while its Coordinator was silent. End the process.',
        );
      return;
    }
    const { coordinatorId } = exit;
    if (coordinatorId !== undefined && run.coordinatorId !== null && run.coordinatorId !== coordinatorId)
      throw new AppError('run_lost', 'This run belongs to another Coordinator.');
    if (isStillTrue !== undefined && !(await isStillTrue(tx))) return;
    await settle(deps, tx, run, exit, forced);
  });
}

async function settle(
  deps: ServiceDeps,
  tx: ChatTx,
  run: EndingRun,
  exit: RunExit,
  forced: ExitCause | undefined,
): Promise<void> {
  const end = await readRunEnd(tx, run, exit, forced);
  // After the locks of the sessions.
  const now = await tx.now();
  const { cause, session } = end;
  const why = { error: toStartError(exit), cause, now };
  await closeRun(tx, run, exit, cause, now);
  if (session !== null) {
    // The process may still live and call: it is told to leave, and not that it was idle.
    if (forced !== undefined && session.state === 'active')
      await new SessionQueries(tx.db).setTerminating(
        session.id,
        { action: 'exit', reason: 'run_stopped' },
        now,
      );
    if (cause === 'finished' && followsOldEnd(session, now)) await endAfterOldEnd(tx, deps, session, now);
    else await endSession(tx, session, endOf(run, cause, end.worksPerWork), now, why.error);
    if (isCrash(cause) && end.workUndone && run.purpose === 'chat') await backOffOrStop(deps, tx, run, why);
  } else if (end.hasLeft && isCrash(cause)) await backOffOrStop(deps, tx, run, why);
  else if (run.purpose === 'task') await settleTaskStart(tx, run, why);
  else await settleStart(deps, tx, run, why);
  if (cause === 'lost' && end.isReportedLost) await backOffLost(tx, run, why);
  await notifyMembership(tx, run);
}

/** The work of the agent may be what takes its nodes down: it is not given to node after node at once. */
async function backOffLost(tx: ChatTx, run: EndingRun, why: { error: StartError; now: Date }): Promise<void> {
  const notBefore = new Date(why.now.getTime() + crashBackoffMs(await reportedLostInARow(tx.db, run)));
  await new WakeUpQueries(tx.db).setBackoff({ ...run, notBefore, error: why.error });
}

/** A process that was started for the work leaves by itself: a conversation that goes on does not start it again. */
function endOf(run: EndingRun, cause: ExitCause, worksPerWork: boolean): SessionEndCause {
  if (isCrash(cause)) return 'crashed';
  // Its turn was too long, or its runner silent: a task would be begun for ever.
  if (run.purpose === 'task' && cause === 'stalled') return 'crashed';
  return cause === 'finished' && worksPerWork && run.purpose === 'chat' ? 'left' : 'ended';
}

/**
 * The process of a task ended, and no session lives for it: it never signed in, or its session has left before. The next
 * start waits for this end.
 */
async function settleTaskStart(
  tx: ChatTx,
  run: EndingRun,
  why: { error: StartError; cause: ExitCause; now: Date },
): Promise<void> {
  const wakeUps = new WakeUpQueries(tx.db);
  const row = await wakeUps.lock(run);
  const isOwn = row?.runId === run.id;
  if (isOwn && (run.signInRefusedAt !== null || (await hadNoTicket(tx, run, why)))) {
    // It stays until its TTL (UC010).
    await wakeUps.setLastError({ ...row, error: why.error });
  } else if (isOwn) {
    if (isCrash(why.cause)) await taskFailed(tx, run, why);
    else await taskStopped(tx, run, why.now);
    await startAgain(tx, run, why);
  }
  await resumeWakeUp(tx, run, why.now);
  tx.dirty(keys.work);
}

async function closeRun(
  tx: ChatTx,
  run: EndingRun,
  exit: RunExit,
  cause: ExitCause,
  now: Date,
): Promise<void> {
  await setExited(tx.db, run.id, {
    endedAt: now,
    exitCause: cause,
    exitCode: exit.exitCode,
    signal: exit.signal ?? null,
    error: exit.error ?? null,
    reason: exit.error === undefined ? null : (exit.reason ?? null),
    stderrTail: exit.stderrTail ?? null,
  });
  await revokeTickets(tx.db, run.id, now);
  await appendChangeEvents(tx, [
    { kind: 'run', projectId: run.projectId, ref: { runId: run.id, agentId: run.agentId } },
  ]);
}

/** The row of a start that has ended waits for the next one, unless a failure has dealt with it. */
async function startAgain(
  tx: ChatTx,
  run: EndingRun,
  { error, now }: { error: StartError; now: Date },
): Promise<void> {
  const wakeUps = new WakeUpQueries(tx.db);
  const row = await wakeUps.lock(run);
  if (row?.runId !== run.id) return;
  await wakeUps.setStartFailed({ ...row, failedStarts: row.failedStarts, notBefore: now, error });
}

/**
 * The process ended before it signed in: it is started again after 1 s and 2 s, then the row is removed at
 * once with its error.
 */
async function settleStart(
  deps: ServiceDeps,
  tx: ChatTx,
  run: EndingRun,
  why: { error: StartError; cause: ExitCause; now: Date },
): Promise<void> {
  const wakeUps = new WakeUpQueries(tx.db);
  const row = await wakeUps.lock(run);
  if (!row || row.runId !== run.id) return;
  // After a refused sign-in the row stays until its TTL (UC010); the page shows the refusal at once.
  if (run.signInRefusedAt !== null || (await hadNoTicket(tx, run, why)))
    return wakeUps.setLastError({ ...row, error: why.error });
  if (!isCrash(why.cause)) return startAgain(tx, run, why);
  const decision = decideStartFailure(row, why.now);
  if (decision.retry) return wakeUps.setStartFailed({ ...row, ...decision, error: why.error });
  await giveUp(tx, deps, row, {
    code: startFailureOf(why),
    params: { ...startErrorParams(why.error), count: row.failedStarts + 1 },
    now: why.now,
  });
}

function startFailureOf({ cause, error }: { cause: ExitCause; error: StartError }): SystemTextCode {
  if (cause === 'could_not_start') return 'could_not_start';
  return isZero(error) ? 'agent_never_signed_in' : 'agent_gave_up';
}

/**
 * An agent without credential gets no ticket: another start would end in the same way, whatever the cause
 * was.
 */
async function hadNoTicket(
  tx: ChatTx,
  run: EndingRun,
  why: { cause: ExitCause; now: Date },
): Promise<boolean> {
  return why.cause === 'crashed' && refuseSignInWithoutTicket(tx.db, run.id, why.now);
}

/**
 * A crash while people wait: the next start waits 1 … 60 s; the third in a row stops the starts and reports
 * it in the chat, also when the message of the crash has failed by now and would start nothing.
 */
async function backOffOrStop(
  deps: ServiceDeps,
  tx: ChatTx,
  run: EndingRun,
  why: { error: StartError; cause: ExitCause; now: Date },
): Promise<void> {
  const wakeUps = new WakeUpQueries(tx.db);
  const row = await wakeUps.lock(run);
  const crashes = await crashesInARow(tx.db, run);
  if (crashes < MAX_CRASHES_IN_A_ROW) {
    const notBefore = new Date(why.now.getTime() + crashBackoffMs(crashes));
    await wakeUps.setBackoff({ ...run, notBefore, error: why.error });
    return;
  }
  if (row) await wakeUps.remove({ ...row, outcome: 'expired', now: why.now });
  const params = { ...startErrorParams(why.error), count: crashes };
  await failWaiting(tx, run, 'agent_crashed', params, why.now);
  await conversationsNotWoken(tx, run, why.now);
  await storeSystemMessage(tx, deps, {
    projectId: run.projectId,
    agentId: run.agentId,
    code: isZero(why.error) ? 'agent_left_unanswered' : 'agent_gave_up',
    params,
    visible: true,
  });
}

function toStartError(exit: RunExit): StartError {
  return {
    error: exit.error ?? null,
    reason: exit.reason ?? null,
    exitCode: exit.exitCode,
    signal: exit.signal ?? null,
    ...lastLinesOf(exit.stderrTail ?? ''),
  };
}
