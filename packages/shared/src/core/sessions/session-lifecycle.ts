import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { cancelCardsOfSession, leaveCards } from '../cards/card-ends.ts';
import type { CancelReason } from '../cards/rules/card-machine.ts';
import { redeliver } from '../chat/delivery/redeliver-messages.ts';
import { discardGrowth } from '../chat/steps/growing-answer-queries.ts';
import { leaveConversations } from '../conversations/conversation-sides.ts';
import { resumeFolderStarts } from '../folders/folder-waits.ts';
import { isSameWork, type WorkKey } from '../rules/work-key.ts';
import { NO_ERROR, taskFailed, taskStopped } from '../task-work/attempt-ends.ts';
import { resumeWakeUp, wakeIfWaiting } from '../wake-ups/wake.ts';
import type { StartError } from '../wake-ups/wake-up-queries.ts';
import { notifyMembership } from './notify-membership.ts';
import {
  decideSession,
  type ExitReason,
  type SessionChange,
  type SessionCommand,
  takesWork,
} from './rules/session-machine.ts';
import { SessionQueries } from './session-queries.ts';
import type { SessionRecord } from './session-record.ts';

/*
 * The effects of ends of sessions on messages and wake-ups. Every function here runs inside the caller's
 * transaction, with the membership locked first and the session row locked second.
 */

/** Why a session is over, for the messages that it held. */
export type SessionEndCause = 'ended' | 'left' | 'crashed';

/** Applies one command to a locked session. Null when the rules refused it. */
export async function applySessionCommand(
  tx: Tx,
  session: SessionRecord,
  command: SessionCommand,
  now: Date,
): Promise<SessionChange | null> {
  const decision = decideSession(session, command, now);
  if (!decision.ok) return null;
  const sessions = new SessionQueries(tx.db);
  const { change } = decision;
  switch (change.to) {
    case 'active':
      if (change.keep === 'close_requested')
        await sessions.setCloseRequested(session.id, change.closeRequestedAt);
      else await sessions.setActiveAgain(session.id, now);
      break;
    case 'terminating':
      await sessions.setTerminating(session.id, change.end, now);
      if (command.type === 'end')
        await cancelCardsOfSession(tx, session.id, cancelReasonOf(command.reason), now);
      break;
    case 'acknowledged':
      await sessions.setAcknowledged(session.id, now);
      break;
    case 'ended':
      if (change.end) await sessions.setTerminating(session.id, change.end, now);
      await endSession(tx, session, 'ended', now);
      break;
  }
  await notifyMembership(tx, session);
  return change;
}

/**
 * Ends a session finally: the messages that it held are returned to their thread (or fail after the third
 * crash), its ticket becomes invalid, and the agent is woken again when people still wait (traps 19, 20), or its task is
 * not done. `error`: what is known of a crash.
 */
export async function endSession(
  tx: Tx,
  session: SessionRecord,
  cause: SessionEndCause,
  now: Date,
  error: StartError = NO_ERROR,
): Promise<void> {
  const sessions = new SessionQueries(tx.db);
  await sessions.setEnded(session.id, now);
  await sessions.revokeTicketsOf(session.id, now);
  // Its end was not requested: the session that takes over its work may take over what it asked people.
  await leaveCards(tx, session.id, session.state === 'active' && cause !== 'left', now);
  const resumes = (await leaveConversations(tx, session, now)) && cause !== 'left';
  await redeliver(tx, session, cause === 'crashed', now);
  const { projectId, agentId } = session;
  const { answers, steps } = await discardGrowth(tx.db, session.id);
  await appendChangeEvents(tx, [
    ...answers.map((messageId) => ({ kind: 'discarded', projectId, ref: { messageId, agentId } }) as const),
    ...steps.map((ref) => ({ kind: 'step', projectId, ref }) as const),
  ]);
  // The chat continues the conversations that a task session leaves.
  const openedBy = session.purpose === 'chat' ? session.openedBy : null;
  await wakeIfWaiting(tx, session, { openedBy, resumes, now });
  if (session.purpose === 'task') {
    // It has left its task, or it was ended for a reason that is not its own.
    if (cause === 'ended') await taskStopped(tx, session, now);
    else await taskFailed(tx, session, { error, now });
  }
  await resumeWakeUp(tx, session, now);
  await notifyMembership(tx, session);
  // Another start of the membership may have waited for this end (hold session_ending).
  tx.dirty(keys.work);
  if (session.sharesFolder) await resumeFolderStarts(tx, session.projectId);
}

function cancelReasonOf(reason: ExitReason): CancelReason {
  switch (reason) {
    case 'force_ended':
    case 'run_stopped':
      return 'stopped_by_person';
    case 'agent_deleted':
    case 'project_archived':
    case 'removed_from_project':
      return 'went_away';
    default:
      return 'session_ended';
  }
}

/**
 * The chat session that takes a new message; one that was about to leave, and has not acknowledged it, stays.
 * Null: there is none, the agent must be woken. `open`: the sessions of the membership, locked.
 */
export function chatThatTakesWork(
  tx: Tx,
  open: readonly SessionRecord[],
  now: Date,
): Promise<SessionRecord | null> {
  return keepIfTakesWork(
    tx,
    open.filter(({ purpose }) => purpose === 'chat'),
    now,
  );
}

/** The same for one key of work. */
export function sessionThatTakesWork(
  tx: Tx,
  key: WorkKey,
  open: readonly SessionRecord[],
  now: Date,
): Promise<SessionRecord | null> {
  return keepIfTakesWork(
    tx,
    open.filter((one) => isSameWork(one, key)),
    now,
  );
}

async function keepIfTakesWork(
  tx: Tx,
  candidates: readonly SessionRecord[],
  now: Date,
): Promise<SessionRecord | null> {
  const session = candidates.find(takesWork) ?? null;
  if (session?.state === 'terminating') await applySessionCommand(tx, session, { type: 'revive' }, now);
  return session;
}

/**
 * Begins the end of every live session of a membership; their processes are given `exit` at the next call.
 * Counts those that were active until now.
 */
export async function terminateSessions(
  tx: Tx,
  sessions: readonly SessionRecord[],
  reason: ExitReason,
  now: Date,
): Promise<number> {
  let count = 0;
  for (const session of sessions) {
    const change = await applySessionCommand(tx, session, { type: 'end', reason }, now);
    if (change && session.state === 'active') count += 1;
  }
  return count;
}
