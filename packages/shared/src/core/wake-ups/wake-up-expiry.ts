import type { TextParams } from '../../contract/chat.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { reasonParams, type SystemTextCode } from '../../platform/texts/system-texts.ts';
import { type ChatTx, chatTransaction, storeSystemMessage } from '../chat/chat-transaction.ts';
import { failWaiting } from '../chat/delivery/redeliver-messages.ts';
import { lastSystemParams } from '../chat/thread-queries.ts';
import { conversationsNotWoken } from '../conversations/conversation-sides.ts';
import type { ServiceDeps } from '../deps.ts';
import { isFolderTakenFor } from '../folders/folder-queries.ts';
import type { WorkKey } from '../rules/work-key.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { NO_ERROR, taskFailed } from '../task-work/attempt-ends.ts';
import { wakeTask } from '../task-work/wake-task.ts';
import { findReachedLimit } from '../usage/daily-limit-queries.ts';
import { restartConversationsWithout } from './folder-start-queries.ts';
import { type HeldFor, isExpired, wakeUpAgeMs } from './rules/wake-up-machine.ts';
import { findStartFacts } from './start-queries.ts';
import { leaveQueue } from './start-queue.ts';
import { isAboveTaskLimit, isPlaceMissing } from './start-queue-queries.ts';
import { reasonOf } from './start-reason.ts';
import { isStillEnding } from './wake-up-list-queries.ts';
import { type StartError, WakeUpQueries, type WakeUpRecord } from './wake-up-queries.ts';

/** Expires this wake-up if it is past its TTL. True when it did; nothing happens otherwise (UC010). */
export async function expireWakeUp(deps: ServiceDeps, key: WorkKey): Promise<boolean> {
  const ttlMs = (await deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
  return chatTransaction(deps, async (tx) => {
    await new SessionQueries(tx.db).lockMembership(key.projectId, key.agentId);
    const row = await new WakeUpQueries(tx.db).lock(key);
    const now = await tx.now();
    if (!row || (await rests(tx, row, now)) || !isExpired(row, now, ttlMs)) return false;
    const cause = await timeoutCause(tx, row);
    // Whole seconds: a check that is half a second late still reports the TTL.
    const seconds = Math.floor(wakeUpAgeMs(row, now) / 1_000);
    await giveUp(tx, deps, row, { code: cause.code, params: { ...cause.params, seconds }, now });
    if (row.runId !== null) await requestRunStop(tx, row.runId, 'timeout', now);
    if (row.purpose === 'task') await tryTaskAgain(tx, row, now);
    return true;
  });
}

/** A task waits for its agent as long as it is in progress; a process that did not sign in in time has failed. */
async function tryTaskAgain(tx: ChatTx, row: WakeUpRecord, now: Date): Promise<void> {
  if (row.startedAt === null) await wakeTask(tx, row, { now });
  else await taskFailed(tx, row, { error: row.lastError ?? NO_ERROR, now });
}

/**
 * Whether the clock of the row is stopped, checked again: the Coordinator that held it for a place may have
 * ended, or have a free place by now, and then nothing else would start the clock again.
 */
async function rests(tx: ChatTx, row: WakeUpRecord, now: Date): Promise<boolean> {
  if (row.heldSince === null) return false;
  if (await isStillEnding(tx.db, row)) return true;
  if (row.notBefore !== null && row.notBefore > now) return true;
  if (row.purpose === 'task' && (await findReachedLimit(tx.db, row.agentId, now))) return true;
  if (row.purpose === 'task' && (await isAboveTaskLimit(tx.db, row))) {
    // It waited for a place, and another task of its agent began: it has no position any more.
    if (row.heldFor === 'capacity') await holdAnew(tx, row, 'task_limit', now);
    return true;
  }
  if (row.heldFor === 'folder_in_use' && (await isFolderTakenFor(tx.db, row, now))) return true;
  if (await isPlaceMissing(tx.db, row, now)) {
    // The folder is free. Now it waits for a place only: one is made for it, and it keeps nobody from the folder.
    if (row.heldFor === 'folder_in_use') await holdAnew(tx, row, 'capacity', now);
    return true;
  }
  await holdAnew(tx, row, null, now);
  return false;
}

async function holdAnew(tx: ChatTx, row: WakeUpRecord, heldFor: HeldFor | null, now: Date): Promise<void> {
  await new WakeUpQueries(tx.db).setHeld({ ...row, heldFor, now });
  await notifyMembership(tx, row);
  await leaveQueue(tx, row);
  if (row.heldFor !== 'folder_in_use') return;
  await restartConversationsWithout(tx.db, row, now);
  tx.dirty(keys.work);
}

/**
 * Removes a wake-up that failed. For a chat this is reported there once, and waiting messages fail with
 * Retry; when no person opened the chat and nobody waits, the row is removed without a line. A wake-up for a
 * task does not affect the chat.
 */
export async function giveUp(
  tx: ChatTx,
  deps: Pick<ServiceDeps, 'config'>,
  row: WakeUpRecord,
  why: { code: SystemTextCode; params: TextParams; now: Date },
): Promise<void> {
  await new WakeUpQueries(tx.db).remove({ ...row, outcome: 'expired', now: why.now });
  if (row.purpose === 'chat') await giveUpChat(tx, deps, row, why);
  await notifyMembership(tx, row);
  await leaveQueue(tx, row);
}

async function giveUpChat(
  tx: ChatTx,
  deps: Pick<ServiceDeps, 'config'>,
  row: WakeUpRecord,
  why: { code: SystemTextCode; params: TextParams; now: Date },
): Promise<void> {
  await conversationsNotWoken(tx, row, why.now);
  const isTimeout = why.code.startsWith('timeout_');
  const failed = await failWaiting(tx, row, isTimeout ? 'timeout' : 'agent_crashed', why.params, why.now);
  const isSaid =
    why.code === 'could_not_start' && (await lastSystemParams(tx.db, row))?.error === why.params.error;
  if (!isSaid && (failed > 0 || row.openedBy !== null))
    await storeSystemMessage(tx, deps, {
      projectId: row.projectId,
      agentId: row.agentId,
      code: why.code,
      params: why.params,
      visible: true,
    });
}

/** What a person can do about a start that failed, in one line. */
export function startErrorParams(error: StartError): TextParams {
  return {
    error: error.error ?? `exit code ${error.exitCode ?? error.signal ?? '?'}`,
    ...reasonParams(reasonOf(error)),
    exitCode: error.exitCode,
    signal: error.signal,
    lastLine: error.lastLine ?? '',
    ...(error.lastLines && { lastLines: error.lastLines }),
  };
}

/** The cause as far as it is known. */
async function timeoutCause(
  tx: ChatTx,
  row: WakeUpRecord,
): Promise<{ code: SystemTextCode; params: TextParams }> {
  const facts = await findStartFacts(tx.db, row);
  if (!facts?.credentialOf) return { code: 'timeout_no_credential', params: {} };
  // Checked before its exit code: a refused agent leaves because it was told to.
  if (facts.signInRefusedAt !== null) return { code: 'timeout_sign_in_refused', params: {} };
  if (row.lastError !== null && (row.lastError.exitCode ?? 0) !== 0)
    return { code: 'timeout_exited', params: startErrorParams(row.lastError) };
  if (row.startedAt === null) return { code: 'timeout_not_picked_up', params: {} };
  return { code: 'timeout_no_sign_in', params: {} };
}
