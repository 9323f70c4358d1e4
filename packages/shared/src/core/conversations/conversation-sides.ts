import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { SessionRecord } from '../sessions/session-queries.ts';
import { applyConversationEnd, tellConversation } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord, sessionOf, sideOf } from './conversation-queries.ts';
import { decideConversation } from './rules/conversation-machine.ts';

/*
 * Which session holds an agent's side of a conversation: it joins, leaves, or nobody comes back. Every function runs
 * inside the caller's transaction; the conversation is locked after pair and session.
 */

type Pair = { readonly projectId: string; readonly agentId: string };

/**
 * What the session now takes up: conversations that wait for its agent, and sides that an earlier session left
 * (`resumed`). The pair is locked and the session active. True when there was any.
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
    if (conversation && (await joinOne(tx, conversation, session, now))) joined = true;
  }
  return joined;
}

async function joinOne(
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
  await tx.db
    .updateTable('conversations')
    .set({
      ...(isInitiator ? { initiatorSessionId: session.id } : { participantSessionId: session.id }),
      ...(starts && { state: 'active', lastActivityAt: now }),
    })
    .where('id', '=', conversation.id)
    .where('state', '=', conversation.state)
    .execute();
  await sql`
    insert into conversation_notices (conversation_id, agent_id, kind, project_id, session_id, resumed, created_at)
    values (${conversation.id}, ${session.agentId}, 'request', ${session.projectId}, ${session.id}, ${isInitiator}, ${now})
    on conflict (conversation_id, agent_id, kind) do update set session_id = excluded.session_id,
      resumed = excluded.resumed or conversation_notices.resumed or conversation_notices.told_at is not null,
      created_at = excluded.created_at, offered_at = null, told_at = null, gone_at = null, tellings = 0`.execute(
    tx.db,
  );
  await tx.db
    .updateTable('agentSessions')
    .set({ chainId: conversation.chainId })
    .where('id', '=', session.id)
    .execute();
  await tellConversation(tx, conversation);
  return true;
}

/**
 * The session is over: its sides are free for the agent's next one, which also hears what this one was not told.
 * True when it left a live conversation behind.
 */
export async function leaveConversations(tx: Tx, session: SessionRecord, now: Date): Promise<boolean> {
  await tx.db
    .updateTable('conversationNotices')
    .set({ sessionId: null })
    .where('sessionId', '=', session.id)
    .where('toldAt', 'is', null)
    .where('kind', '<>', 'request')
    .execute();
  await tx.db
    .updateTable('conversationNotices')
    .set({ goneAt: now })
    .where('sessionId', '=', session.id)
    .where('toldAt', 'is', null)
    .where('kind', '=', 'request')
    .execute();
  const { rows } = await sql<{ id: string }>`
    update conversations set
      initiator_session_id = case when initiator_session_id = ${session.id} then null else initiator_session_id end,
      participant_session_id = case when participant_session_id = ${session.id} then null else participant_session_id end
    where id in (select id from conversations where ${session.id} in (initiator_session_id, participant_session_id)
        and (initiator_agent_id = ${session.agentId} or participant_agent_id = ${session.agentId})
        and project_id = ${session.projectId} and state in ('pending', 'active') order by id for update)
      and state in ('pending', 'active')
    returning id`.execute(tx.db);
  return rows.length > 0;
}

/**
 * The agent will not come back to its conversations: it goes away, or a person stopped it. `sessions`: only to those
 * that these sessions hold, or none does; its task goes on talking when its chat is stopped.
 */
export async function partFromConversations(
  tx: Tx,
  pair: Pair,
  options: { now: Date; sessions?: readonly { readonly id: string }[] },
): Promise<void> {
  const conversations = new ConversationQueries(tx.db);
  for (const { id } of await conversations.liveOf(pair)) {
    const conversation = await conversations.lock(id);
    if (!conversation) continue;
    const holder = sessionOf(conversation, pair.agentId);
    if (options.sessions && holder !== null && !options.sessions.some((session) => session.id === holder))
      continue;
    await applyConversationEnd(tx, conversation, { type: 'gone' }, options);
  }
}

/**
 * The agent's wake-up came to nothing: what never began expires, what nobody holds any more is over. A conversation
 * that a living session holds goes on.
 */
export async function conversationsNotWoken(tx: Tx, pair: Pair, now: Date): Promise<void> {
  const conversations = new ConversationQueries(tx.db);
  for (const { id } of await conversations.liveOf(pair)) {
    const conversation = await conversations.lock(id);
    if (!conversation) continue;
    const side = sideOf(conversation, pair.agentId);
    const waits = side === 'participant' && conversation.state === 'pending';
    if (waits) await applyConversationEnd(tx, conversation, { type: 'not_woken' }, { now });
    else if (sessionOf(conversation, pair.agentId) === null)
      await applyConversationEnd(tx, conversation, { type: 'gone' }, { now });
  }
}
