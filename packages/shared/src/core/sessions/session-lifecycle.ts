import { sql } from 'kysely';
import type { FailureCode, TextParams } from '../../contract/chat.ts';
import { appendFacts, tellMessages } from '../../platform/changes/change-log.ts';
import { keys } from '../../platform/changes/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { MAX_CRASHES_PER_MESSAGE } from '../chat/rules/message-machine.ts';
import { ConversationQueries } from '../conversations/conversation-queries.ts';
import { leaveConversations } from '../conversations/conversation-sides.ts';
import { cancelQuestionsOfSession, orphanQuestions } from '../questions/question-lifecycle.ts';
import type { CancelReason } from '../questions/rules/question-machine.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import {
  decideSession,
  type ExitReason,
  type SessionChange,
  type SessionCommand,
  takesWork,
} from './rules/session-machine.ts';
import { SessionQueries, type SessionRecord } from './session-queries.ts';
import { NOBODY_HOLDS_SQL } from './session-work.ts';

/*
 * What the ends of sessions do to messages and wake-ups. Every function here runs inside the caller's
 * transaction, with the pair locked first and the session row locked second.
 */

/** Why a session is over, for the messages that it held. */
export type SessionEndCause = 'ended' | 'left' | 'crashed';

type Pair = { readonly projectId: string; readonly agentId: string };

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
        await cancelQuestionsOfSession(tx, session.id, cancelReasonOf(command.reason), now);
      break;
    case 'told':
      await sessions.setTold(session.id, now);
      break;
    case 'ended':
      if (change.end) await sessions.setTerminating(session.id, change.end, now);
      await endSession(tx, session, 'ended', now);
      break;
  }
  await tellPair(tx, session);
  return change;
}

/** Readers of the page and held calls of the pair look again. */
export async function tellPair(tx: Tx, pair: Pair): Promise<void> {
  await appendFacts(tx, [{ kind: 'session', projectId: pair.projectId, ref: { agentId: pair.agentId } }]);
  tx.dirty(keys.pair(pair.projectId, pair.agentId));
}

/**
 * Ends a session for good: what it held goes back to its thread (or fails after the third crash), its ticket dies, and
 * the agent is woken again when people still wait (traps 19, 20).
 */
export async function endSession(
  tx: Tx,
  session: SessionRecord,
  cause: SessionEndCause,
  now: Date,
): Promise<void> {
  await new SessionQueries(tx.db).setEnded(session.id, now);
  await tx.db
    .updateTable('launchTickets')
    .set({ revokedAt: now })
    .where('sessionId', '=', session.id)
    .where('revokedAt', 'is', null)
    .execute();
  // Nobody asked it to go: whoever takes over its work may take over its questions.
  if (session.state === 'active' && cause !== 'left') await orphanQuestions(tx, session.id, now);
  else await cancelQuestionsOfSession(tx, session.id, 'session_ended', now);
  const resumes = (await leaveConversations(tx, session, now)) && cause !== 'left';
  await releaseHeld(tx, session, cause === 'crashed', now);
  await wakeIfWaiting(tx, session, { openedBy: session.openedBy, resumes, now });
  if (session.purpose === 'chat') {
    if (!(await new SessionQueries(tx.db).hasOpenChat(session)))
      await new WakeUpQueries(tx.db).setHeld({ ...session, heldFor: null, now });
  }
  await tellPair(tx, session);
  // Another start of the pair may have waited for this end (hold session_ending).
  tx.dirty(keys.work);
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

/** Gives back what the session held; the third crash over one message fails it. */
async function releaseHeld(tx: Tx, session: SessionRecord, crashed: boolean, now: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update chat_messages m set
      crashes = m.crashes + ${crashed ? 1 : 0},
      state = case when m.crashes + ${crashed ? 1 : 0} >= ${MAX_CRASHES_PER_MESSAGE} then 'failed' else 'stored' end,
      failure = case when m.crashes + ${crashed ? 1 : 0} >= ${MAX_CRASHES_PER_MESSAGE}
        then jsonb_build_object('code', 'agent_crashed', 'params', jsonb_build_object('crashes', m.crashes + 1)) end,
      failed_at = case when m.crashes + ${crashed ? 1 : 0} >= ${MAX_CRASHES_PER_MESSAGE} then ${now}::timestamptz end,
      redelivered = true, delivered_session_id = null, delivered_at = null, batch_id = null
    where m.delivered_session_id = ${session.id} and m.state = 'delivered'
    returning m.id`.execute(tx.db);
  await tellMessages(tx, session.projectId, rows);
}

/** Fails every message of people that this agent has not answered; call it before its session is ended. */
export async function failWaiting(
  tx: Tx,
  pair: Pair,
  code: FailureCode,
  params: TextParams,
  now: Date,
): Promise<number> {
  const failure = JSON.stringify({ code, params });
  const { rows } = await sql<{ id: string }>`
    update chat_messages m set state = 'failed', failure = ${failure}::jsonb, failed_at = ${now},
      delivered_session_id = null
    where m.id in (
        select u.id from chat_messages u
        where u.deliver_to = ${pair.agentId} and u.project_id = ${pair.projectId} and u.state = 'stored'
          and u.conversation_id is null
        union all
        select h.id from agent_sessions s join chat_messages h on h.delivered_session_id = s.id and h.state = 'delivered'
        where s.project_id = ${pair.projectId} and s.agent_id = ${pair.agentId} and s.state <> 'ended'
          and h.conversation_id is null)
      and m.state in ('stored', 'delivered')
    returning m.id`.execute(tx.db);
  await tellMessages(tx, pair.projectId, rows);
  return rows.length;
}

/**
 * A wake-up row when somebody waits for an agent that has nothing live; never for any other reason (trap 6).
 * `resumes`: its session did not leave by itself, so a conversation without a word to read waits too.
 */
export async function wakeIfWaiting(
  tx: Tx,
  pair: Pair,
  options: { openedBy: string | null; resumes?: boolean; notBefore?: Date | null; now: Date },
): Promise<boolean> {
  const { resumes = false, ...rest } = options;
  const conversation = await new ConversationQueries(tx.db).oldestWithout(pair);
  const { rows } = await sql<{ waiting: boolean }>`
    select (${resumes && conversation !== null} or exists (select from chat_messages m
        where m.deliver_to = ${pair.agentId} and m.project_id = ${pair.projectId} and m.state = 'stored'
          and ${sql.raw(NOBODY_HOLDS_SQL)}))
      and exists (select from projects p where p.id = ${pair.projectId} and p.status <> 'archived')
      and exists (select from project_agents pa where pa.project_id = ${pair.projectId} and pa.agent_id = ${pair.agentId})
      and not exists (select from agent_sessions s where s.project_id = ${pair.projectId}
        and s.agent_id = ${pair.agentId} and s.purpose = 'chat' and s.state = 'active') as waiting`.execute(
    tx.db,
  );
  if (!rows[0]?.waiting) return false;
  return wake(tx, pair, { ...rest, conversationId: conversation });
}

/**
 * Makes the wake-up row unless it stands. True when this call made it. Its clock rests while a session of the pair
 * is still ending, whether a Coordinator asks meanwhile or not.
 */
export async function wake(
  tx: Tx,
  pair: Pair,
  options: {
    openedBy: string | null;
    conversationId?: string | null;
    scheduleId?: string;
    notBefore?: Date | null;
    now: Date;
  },
): Promise<boolean> {
  const purposes = new WakeUpQueries(tx.db);
  const made = await purposes.insertChat({ ...pair, ...options });
  if (made) {
    if (await new SessionQueries(tx.db).hasOpenChat(pair))
      await purposes.setHeld({ ...pair, heldFor: 'session_ending', now: options.now });
    await tellPair(tx, pair);
    tx.dirty(keys.work);
  } else if (options.openedBy !== null) await purposes.setOpenedBy({ ...pair, openedBy: options.openedBy });
  return made;
}

/**
 * The chat that takes what has come now; one that was about to leave, and has not heard so, stays. Null: none is
 * there, the agent must be woken. `open`: the pair's sessions, locked.
 */
export async function chatThatTakesWork(
  tx: Tx,
  open: readonly SessionRecord[],
  now: Date,
): Promise<SessionRecord | null> {
  const chat = open.find((session) => session.purpose === 'chat' && takesWork(session));
  if (chat?.state === 'terminating') await applySessionCommand(tx, chat, { type: 'revive' }, now);
  return chat ?? null;
}

/**
 * Begins the end of every live session of a pair; their processes hear `exit` at the next call. Counts those that
 * were active until now.
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
