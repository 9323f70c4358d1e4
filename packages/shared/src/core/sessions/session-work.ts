import { MAX_BATCH_OFFERS } from './rules/next-action.ts';

/*
 * The remaining work of a session, as SQL over `s` (agent_sessions). All queries use the same expressions, so
 * that what keeps it busy, what wakes its held call and what it is given cannot differ.
 */

const FOR_THIS_SESSION = `m.deliver_to = s.agent_id and m.project_id = s.project_id and m.state = 'stored'
    and case when m.conversation_id is null then s.purpose = 'chat'
      else exists (select from conversations c
        where c.id = m.conversation_id and s.id in (c.initiator_session_id, c.participant_session_id)) end`;

/** A message waits for this session: of the chat for a chat session, of a conversation for the session that holds the side. */
export const UNREAD_SQL = `exists (select from chat_messages m where ${FOR_THIS_SESSION})`;

/** Since when the oldest of them waits; null: none waits. */
export const WAITING_SINCE_SQL = `(select m.created_at from chat_messages m where ${FOR_THIS_SESSION}
  order by m.created_at limit 1)`;

export const HELD_SQL = `exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')`;

/**
 * It holds messages that it can be told to fetch again, because it is unknown whether the response that gave
 * them arrived. `now` is the SQL expression of the current time.
 */
export const heldAgainSql = (now: string): string =>
  `((s.beat_until is null or s.beat_until <= ${now}) and exists (
  select from chat_messages m join delivery_batches b on b.id = m.batch_id
  where m.delivered_session_id = s.id and m.state = 'delivered' and b.offers < ${MAX_BATCH_OFFERS}))`;

/** One of its cards is open, or is resolved and the result is not acknowledged. */
export const OPEN_QUESTION_SQL = `exists (select from user_questions q
  where q.session_id = s.id and q.acknowledged_at is null and q.state in ('pending', 'answered'))`;

const SIDES = [
  ['initiator_agent_id', 'initiator_session_id'],
  ['participant_agent_id', 'participant_session_id'],
] as const;

const liveConversation = (condition: (session: string) => string) =>
  `(${SIDES.map(
    ([agent, session]) => `exists (select from conversations c
  where c.${agent} = s.agent_id and c.project_id = s.project_id and c.state in ('pending', 'active')
    and ${condition(session)})`,
  ).join(' or ')})`;

/** It has a side of a live conversation, or such a conversation waits for it. */
export const LIVE_CONVERSATION_SQL = liveConversation(
  (session) => `(c.${session} = s.id or (c.${session} is null and s.purpose = 'chat'))`,
);

/** The rules would not call it idle: busy, or a message is unread (trap 5). */
export const NOT_IDLE_SQL = `(${HELD_SQL} or ${OPEN_QUESTION_SQL} or ${LIVE_CONVERSATION_SQL} or ${UNREAD_SQL})`;

/**
 * A conversation must be processed before this session is given an action: a side is free for it, or the time
 * of one is over. `pendingBefore` and `silentBefore` are the SQL expressions of the two times.
 */
export const conversationDueSql = (pendingBefore: string, silentBefore: string): string =>
  liveConversation(
    (session) => `(c.${session} is null and s.purpose = 'chat'
      or c.${session} = s.id and (c.state = 'pending' and c.created_at <= ${pendingBefore}
        or c.state = 'active' and c.last_activity_at <= ${silentBefore}))`,
  );

/** `n` is a notice for this session that it has not acknowledged. */
export const NOTICE_FOR_SESSION_SQL = `n.agent_id = s.agent_id and n.project_id = s.project_id
  and n.acknowledged_at is null and n.gone_at is null
  and (n.session_id = s.id or (n.session_id is null and s.purpose = 'chat'))`;

/** It has not acknowledged yet how one of its conversations ended: a close waits for that. */
export const UNTOLD_END_SQL = `exists (select from conversation_notices n
  where ${NOTICE_FOR_SESSION_SQL} and n.kind <> 'request')`;

/** `m` waits and no live session of its agent holds the side that must read it: a wake-up is needed. */
export const NOBODY_HOLDS_SQL = `(m.conversation_id is null or exists (select from conversations c
  where c.id = m.conversation_id
    and case when c.initiator_agent_id = m.deliver_to then c.initiator_session_id else c.participant_session_id end is null))`;
