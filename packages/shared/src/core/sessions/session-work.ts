import { MAX_BATCH_OFFERS } from './rules/next-action.ts';

/*
 * The remaining work of a session, as SQL over `s` (agent_sessions). All queries use the same expressions, so
 * that what keeps it busy, what wakes its held call and what it is given cannot differ.
 */

const FOR_THIS_SESSION = `m.deliver_to = s.agent_id and m.project_id = s.project_id and m.state = 'stored'
    and case when m.conversation_id is null then s.purpose = 'chat'
      else exists (select from conversations c
        where c.id = m.conversation_id and s.id in (c.initiator_session_id, c.participant_session_id)) end`;

/** An active session for a task has a task to do: whatever ends the work on it ends the session. */
export const HAS_TASK_SQL = `s.purpose = 'task'`;

/** It has not acknowledged yet that it was told to work on its task. */
export const TASK_UNTOLD_SQL = `(${HAS_TASK_SQL} and s.task_told_at is null)`;

/** It works on its task. */
const TASK_TOLD_SQL = `(${HAS_TASK_SQL} and s.task_told_at is not null)`;

/** A message waits for this session: of the chat for a chat session, of a conversation for the session that holds the side. */
export const UNREAD_SQL = `exists (select from chat_messages m where ${FOR_THIS_SESSION})`;

/** Since when the oldest of them waits; null: none waits. */
export const WAITING_SINCE_SQL = `(select m.created_at from chat_messages m where ${FOR_THIS_SESSION}
  order by m.created_at limit 1)`;

/** The sources of these messages, and the task that it has not been told of, as JSON, see WaitingSource. */
export const WAITING_SOURCES_SQL = `(select coalesce(jsonb_agg(jsonb_build_object(
    'threadId', t.thread_id, 'partnerId', t.partner_id, 'since', t.since)), '[]')
  from (select m.thread_id, case when m.conversation_id is not null then m.sender_id end as partner_id,
      min(m.created_at) as since
    from chat_messages m where ${FOR_THIS_SESSION} group by 1, 2
    union all select 'task/' || s.task_id, null, s.created_at where ${TASK_UNTOLD_SQL}) t)`;

export const HELD_SQL = `exists (select from chat_messages m where m.delivered_session_id = s.id and m.state = 'delivered')`;

/** Since when it holds the oldest of them. */
export const HELD_SINCE_SQL = `(select min(m.delivered_at) from chat_messages m
  where m.delivered_session_id = s.id and m.state = 'delivered')`;

/** It is in a turn: of an answer, or of the work on its task. */
export const HELD_OR_TASK_SQL = `(${HAS_TASK_SQL} or ${HELD_SQL})`;

/** No heartbeat of a turn is held. `now` is the SQL expression of the current time. */
export const noTurnSql = (now: string): string => `(s.beat_until is null or s.beat_until <= ${now})`;

/**
 * It holds messages that it can be told to fetch again, because it is unknown whether the response that gave
 * them arrived. `now` is the SQL expression of the current time.
 */
export const heldAgainSql = (now: string): string =>
  `(${noTurnSql(now)} and exists (
  select from chat_messages m join delivery_batches b on b.id = m.batch_id
  where m.delivered_session_id = s.id and m.state = 'delivered' and b.offers < ${MAX_BATCH_OFFERS}))`;

/** What a session asks people: question cards and approvals. Both tables have the columns used here. */
export const CARDS = { question: 'user_questions', approval: 'approvals' } as const;
const CARD_NAMES = ['question', 'approval'] as const;

const OF_THIS_SESSION = 'q.session_id = s.id and q.acknowledged_at is null';
const anyCard = (condition: string) =>
  `(${CARD_NAMES.map(
    (name) => `exists (select from ${CARDS[name]} q where ${OF_THIS_SESSION} and ${condition})`,
  ).join(' or ')})`;

/** A person is asked something by it. */
export const ASKS_PERSON_SQL = anyCard(`q.state = 'pending'`);

/** Since when people see the oldest of these cards. */
export const ASKS_SINCE_SQL = `least(
  (select min(coalesce(q.shown_at, q.created_at)) from ${CARDS.question} q where ${OF_THIS_SESSION} and q.state = 'pending'),
  (select min(q.created_at) from ${CARDS.approval} q where ${OF_THIS_SESSION} and q.state = 'pending'))`;

/** The same, or a person has decided and it has not acknowledged that. */
export const OPEN_CARD_SQL = anyCard(`q.state not in ('timeout', 'cancelled')`);

/** It was given the result of `q` without asking (a person decided after the process had died), and has not heard of it. */
const INHERITED_SQL = '(q.inherited_at is not null and q.offered_at is null)';

/** It has asked a person something, and has not heard what became of it. */
export const AT_CARD_SQL = anyCard(`not ${INHERITED_SQL}`);

/** It works on a card: the same as OPEN_CARD_SQL without what it was given, for it has not begun to work on that. */
export const WORKS_ON_CARD_SQL = anyCard(`q.state not in ('timeout', 'cancelled') and not ${INHERITED_SQL}`);

/** It is in the middle of its work: between two turns it is not, whatever else keeps it busy. */
export const HOLDS_WORK_SQL = `(${HELD_SQL} or ${WORKS_ON_CARD_SQL} or ${TASK_TOLD_SQL})`;

/** The result of `q` can be told: the rule `isTold` of next-action.ts, for many sessions at once. */
const TOLD_SQL = `(q.state <> 'pending'
  and not (${INHERITED_SQL} and (${HAS_TASK_SQL} or ${ASKS_PERSON_SQL} or ${UNREAD_SQL} or (s.uses_receipts and ${HELD_SQL}))))`;

/**
 * One row: `asks_person` (null: it has no card), and `resolved_card`, see ResolvedCard: the card that was resolved
 * first, whose result it has not acknowledged; inherited ones last. Each table is looked into once.
 */
export const CARDS_OF_SESSION_SQL = `(select bool_or(c.state = 'pending') as asks_person,
    (array_agg(jsonb_build_object('kind', c.kind, 'toolUseId', c.tool_use_id, 'isInherited', c.is_inherited)
      order by c.is_inherited, c.resolved_at, c.seq, c.kind) filter (where c.state <> 'pending'))[1] as resolved_card
  from (${CARD_NAMES.map(
    (
      name,
    ) => `select '${name}' as kind, q.tool_use_id, q.state, q.resolved_at, q.seq, ${INHERITED_SQL} as is_inherited
    from ${CARDS[name]} q where ${OF_THIS_SESSION}`,
  ).join(' union all ')}) c)`;

/** It can be told what became of a card; first searched for once for all sessions. */
export const HAS_RESOLVED_CARD_SQL = CARD_NAMES.map(
  (
    name,
  ) => `((select exists (select from ${CARDS[name]} where acknowledged_at is null and state <> 'pending'))
      and exists (select from ${CARDS[name]} q where ${OF_THIS_SESSION} and ${TOLD_SQL}))`,
).join(' or ');

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
export const NOT_IDLE_SQL = `(${HELD_OR_TASK_SQL} or ${OPEN_CARD_SQL} or ${LIVE_CONVERSATION_SQL} or ${UNREAD_SQL})`;

/** The session `w` has a message of the conversation `c` to answer, or to read after what it answers. */
export const worksForSql = (w: string, c: string): string => `(exists (select from chat_messages m
    where m.delivered_session_id = ${w}.id and m.state = 'delivered' and m.thread_id = ${c}.id)
  or exists (select from chat_messages m where m.deliver_to = ${w}.agent_id and m.project_id = ${w}.project_id
    and m.state = 'stored' and m.thread_id = ${c}.id))`;

/**
 * Until when a side of the live conversation `c` was in a turn that has to speak next, or to join, as its heartbeats say;
 * null: neither was. A turn that has just ended counts: what waited for it is read, or joined, at the next action. So does
 * one that ended with its process, while the conversation waited for it: the next process joins.
 */
export const atWorkUntilSql = (c: string): string => `(case ${c}.state
  when 'active' then greatest(
    ${lastBeatSql(`w.id in (${c}.initiator_session_id, ${c}.participant_session_id)
      and w.state <> 'ended' and ${worksForSql('w', c)}`)},
    ${lastBeatSql(`${isChatOfSql(c, freeSidesSql(c))} and w.state <> 'ended' and ${worksForSql('w', c)}`)})
  when 'pending' then greatest(
    ${lastBeatSql(`${isChatOfSql(c, `${c}.participant_agent_id`)} and w.state <> 'ended'`)},
    (select w.beat_until from agent_sessions w
      where ${isChatOfSql(c, `${c}.participant_agent_id`)} and w.state = 'ended' and w.beat_until is not null
        and w.ended_at >= ${c}.created_at order by w.ended_at desc limit 1)) end)`;

const lastBeatSql = (condition: string): string =>
  `(select max(w.beat_until) from agent_sessions w where ${condition})`;

/** `w` is a chat session of one of these agents in the project of the conversation `c`. */
const isChatOfSql = (c: string, agents: string): string =>
  `w.project_id = ${c}.project_id and w.agent_id in (${agents}) and w.purpose = 'chat'`;

/** The agents of the conversation `c` whose side no session holds; their chat sessions take it at their next action. */
const freeSidesSql = (c: string): string =>
  SIDES.map(([agent, session]) => `case when ${c}.${session} is null then ${c}.${agent} end`).join(', ');

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

/** One side of the live conversation `c` waits until another agent has done its work in the folder of the project. */
export const waitsForFolderSql = (c: string): string => `(${c}.state in ('pending', 'active') and (
  exists (select from agent_sessions w where w.id in (${c}.initiator_session_id, ${c}.participant_session_id)
    and w.state = 'active' and w.folder_wait_for is not null)
  or exists (select from pending_agent_purposes w where w.project_id = ${c}.project_id and w.purpose = 'chat'
    and w.agent_id in (${c}.initiator_agent_id, ${c}.participant_agent_id) and w.held_for = 'folder_in_use')))`;

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
