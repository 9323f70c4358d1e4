import type { Tx } from '../../platform/db/database.ts';
import type { MembershipKey, Purpose } from '../rules/work-key.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { setChainOfSession } from './chain-queries.ts';
import { leaveSides, restartWorkedFor, takeSide } from './conversation-change-queries.ts';
import { applyConversationEnd, notifyConversation } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord, sessionOf, sideOf } from './conversation-queries.ts';
import { releaseEndNotices, requestNotice, voidRequestNotices } from './notice-queries.ts';
import { decideConversation } from './rules/conversation-machine.ts';

/*
 * Which session holds an agent's side of a conversation: it joins, leaves, or no session will come back.
 * Every function runs inside the caller's transaction; the conversation is locked after membership and
 * session.
 */

/**
 * The work that the session takes over now: conversations that wait for its agent, and sides that an earlier
 * session left (`resumed`). The membership and the session are locked; the session is an active chat session.
 * True when there was any.
 */
export async function joinConversations(
  tx: Tx,
  session: Pick<SessionRecord, 'id' | 'projectId' | 'agentId'>,
  now: Date,
): Promise<boolean> {
  const conversations = new ConversationQueries(tx.db);
  let joined = false;
  for (const { id } of await conversations.liveOf(session)) {
    const conversation = await conversations.lock(id);
    if (conversation && (await joinConversation(tx, conversation, session, now))) joined = true;
  }
  return joined;
}

/** The session takes the side of its agent of this locked conversation, if it is free. True: it did. */
export async function joinConversation(
  tx: Tx,
  conversation: ConversationRecord,
  session: Pick<SessionRecord, 'id' | 'projectId' | 'agentId'>,
  now: Date,
): Promise<boolean> {
  const isInitiator = sideOf(conversation, session.agentId) === 'initiator';
  if (sessionOf(conversation, session.agentId) !== null) return false;
  const starts = !isInitiator && decideConversation(conversation, { type: 'join' }, now).ok;
  if (!starts && conversation.state !== 'active' && !(isInitiator && conversation.state === 'pending'))
    return false;
  const side = isInitiator ? 'initiator' : 'participant';
  await takeSide(tx.db, conversation, { side, sessionId: session.id, startsAt: starts ? now : null });
  await requestNotice(tx.db, {
    conversationId: conversation.id,
    agentId: session.agentId,
    projectId: session.projectId,
    sessionId: session.id,
    resumed: isInitiator,
    now,
  });
  await setChainOfSession(tx.db, session.id, conversation.chainId);
  await notifyConversation(tx, conversation);
  return true;
}

/**
 * The session is over: its sides become free for the agent's next one, which is also given the notices that
 * this one has not acknowledged. True when it left a live conversation behind.
 */
export async function leaveConversations(tx: Tx, session: SessionRecord, now: Date): Promise<boolean> {
  await releaseEndNotices(tx.db, session.id);
  await voidRequestNotices(tx.db, session.id, now);
  await restartWorkedFor(tx.db, session, { now });
  return leaveSides(tx.db, session);
}

/**
 * The agent will not return to its conversations: it is being removed, or a person stopped it. `sessions`:
 * only to those that these sessions hold: the conversations of its task continue when its chat is stopped,
 * and those of its chat when its task is. Conversations that no session holds belong to the chat.
 */
export async function partFromConversations(
  tx: Tx,
  membership: MembershipKey,
  options: {
    now: Date;
    of?: { readonly purpose: Purpose; readonly sessions: readonly { readonly id: string }[] };
  },
): Promise<void> {
  const conversations = new ConversationQueries(tx.db);
  for (const { id } of await conversations.liveOf(membership)) {
    const conversation = await conversations.lock(id);
    if (!conversation) continue;
    const holder = sessionOf(conversation, membership.agentId);
    if (options.of && !isHeldBy(options.of, holder)) continue;
    await applyConversationEnd(tx, conversation, { type: 'gone' }, { now: options.now });
  }
}

function isHeldBy(
  of: { readonly purpose: Purpose; readonly sessions: readonly { readonly id: string }[] },
  holder: string | null,
): boolean {
  return holder === null ? of.purpose === 'chat' : of.sessions.some(({ id }) => id === holder);
}

/**
 * The wake-up of the agent failed: a conversation that never began expires, one that no session holds any
 * more is over. A conversation that a live session holds continues.
 */
export async function conversationsNotWoken(tx: Tx, membership: MembershipKey, now: Date): Promise<void> {
  const conversations = new ConversationQueries(tx.db);
  for (const { id } of await conversations.liveOf(membership)) {
    const conversation = await conversations.lock(id);
    if (!conversation) continue;
    const side = sideOf(conversation, membership.agentId);
    const waits = side === 'participant' && conversation.state === 'pending';
    if (waits) await applyConversationEnd(tx, conversation, { type: 'not_woken' }, { now });
    else if (sessionOf(conversation, membership.agentId) === null)
      await applyConversationEnd(tx, conversation, { type: 'gone' }, { now });
  }
}
