import { keys } from '../changes/keys.ts';
import type { Message } from '../contract/chat.ts';
import type { Database } from '../db/database.ts';
import {
  INVISIBLE_SQL,
  MESSAGE_COLUMNS,
  MESSAGE_SENDER_JOIN,
  type MessageRow,
  toMessage,
} from '../db/repositories/message-rows.ts';
import type { AgentCaller } from './agent-caller.ts';
import { chatThreadId } from './chat-transaction.ts';

/** Messages of one source that one call hands over at most; the rest comes with the next call. */
const BATCH = 50;
const CONTEXT_MESSAGES = 20;

export type MessageSource =
  | { readonly kind: 'chat' }
  | { readonly kind: 'conversation'; readonly conversationId: string; readonly agentId: string };

export interface Delivery {
  readonly source: MessageSource | null;
  readonly contextMessages: readonly Message[];
  readonly pendingMessages: readonly (Message & { repeat?: true })[];
  readonly totalHistoryCount: number;
  readonly contextTruncated: boolean;
  readonly messageIds: readonly string[];
}

type DeliveredRow = MessageRow & { repeat: boolean };

/**
 * Hands over what is unread of one source, the one that waits for longest, in order, and binds it to the session: if
 * that ends before it answered, it all comes back (trap 19). What was handed over before but not seen to arrive is
 * given again first, marked `repeat`.
 */
export async function deliverMessages(database: Database, caller: AgentCaller): Promise<Delivery> {
  const rows = await database.statement<DeliveredRow>({
    name: 'deliver',
    text: DELIVER,
    values: [caller.sessionId, caller.agentId, caller.projectId, BATCH, caller.purpose === 'chat'],
  });
  const [first] = rows;
  if (!first) return NOTHING;
  if (rows.some((row) => !row.repeat)) database.onCommit(new Set([keys.log(caller.projectId)]));
  rows.sort((a, b) => a.seq - b.seq);
  const threadId = first.conversation_id ?? chatThreadId(caller.projectId, caller.agentId);
  const messageIds = rows.map((row) => row.id);
  const { context, total } = await readContext(database, caller.agentId, threadId, messageIds);
  return {
    source: sourceOf(first),
    contextMessages: context.slice(-CONTEXT_MESSAGES),
    pendingMessages: rows.map((row) => ({ ...toMessage(row), ...(row.repeat && { repeat: true as const }) })),
    totalHistoryCount: total,
    contextTruncated: context.length > CONTEXT_MESSAGES,
    messageIds,
  };
}

const NOTHING: Delivery = {
  source: null,
  contextMessages: [],
  pendingMessages: [],
  totalHistoryCount: 0,
  contextTruncated: false,
  messageIds: [],
};

/** In a conversation everything that is handed over was said by the partner. */
function sourceOf(row: DeliveredRow): MessageSource {
  return row.conversation_id === null
    ? { kind: 'chat' }
    : { kind: 'conversation', conversationId: row.conversation_id, agentId: row.sender_id };
}

/** What was said so far, one more than is shown, and how many messages there are in all. */
async function readContext(
  database: Database,
  agentId: string,
  threadId: string,
  handedOver: readonly string[],
): Promise<{ context: Message[]; total: number }> {
  const rows = await database.statement<ContextRow>({
    name: 'delivery-context',
    text: CONTEXT,
    values: [threadId, agentId, handedOver, CONTEXT_MESSAGES + 1],
  });
  const said = rows.filter((row): row is MessageRow & { total: number } => row.id !== null);
  return { context: said.map(toMessage), total: rows[0]?.total ?? 0 };
}

/** A thread in which nothing was said before has one row, without a message. */
type ContextRow = (MessageRow | { id: null }) & { total: number };

/**
 * By what has been said, not by place: the agent's last answer stands behind a message that came while it was written.
 */
const CONTEXT = `
  select counted.total, ${MESSAGE_COLUMNS}
  from (select t.last_seq::int - ${INVISIBLE_SQL} as total from chat_threads t where t.id = $1) counted
  left join (
    select * from chat_messages m
    where m.thread_id = $1 and m.visible and m.sender <> 'system'
      and not (m.state = 'stored' and coalesce(m.deliver_to = $2, false)) and m.id <> all($3::text[])
    order by m.seq desc limit $4
  ) m on true
  ${MESSAGE_SENDER_JOIN}
  order by m.seq`;

/**
 * Delivery in one statement. The session's row is locked first and must still be active: a session that ended in
 * between gets nothing (I-2). Two calls of one session at once: the second waits and finds nothing new. The messages
 * are updated by their keys: a plain `deliver_to = $2` there would read all that is unread again.
 */
const DELIVER = `
  with source as materialized (
    select conversation_id from (
      (select 0 as lane, m.conversation_id from chat_messages m
        where m.delivered_session_id = $1 and m.state = 'delivered' and m.told_at is null
        order by m.created_at limit 1)
      union all
      (select 1, m.conversation_id from chat_messages m
        where m.deliver_to = $2 and m.project_id = $3 and m.state = 'stored'
          and case when m.conversation_id is null then $5::boolean
            else exists (select from conversations c
              where c.id = m.conversation_id and $1 in (c.initiator_session_id, c.participant_session_id)) end
        order by m.created_at, m.seq limit 1)
    ) waiting order by lane limit 1
  ), again as (
    select m.id from chat_messages m, source
    where m.delivered_session_id = $1 and m.state = 'delivered' and m.told_at is null
      and m.conversation_id is not distinct from source.conversation_id
  ), unread as (
    select m.id from chat_messages m, source
    where m.deliver_to = $2 and m.project_id = $3 and m.state = 'stored'
      and m.conversation_id is not distinct from source.conversation_id
    order by m.created_at, m.seq limit $4
  ), session as (
    update agent_sessions set last_activity_at = clock_timestamp(), last_seen_at = clock_timestamp(),
      last_source = coalesce(source.conversation_id, 'chat'),
      chain_id = case when source.conversation_id is not null then chain_id end
    from source
    where id = $1 and state = 'active'
    returning id
  ), delivered as (
    update chat_messages m set state = 'delivered', delivered_session_id = $1, delivered_at = clock_timestamp(),
      told_at = null
    from unread, session
    where m.id = unread.id and m.state = 'stored' and coalesce(m.deliver_to, '') = $2
    returning m.*
  ), fact as (
    insert into change_log (project_id, kind, ref)
    select $3, 'message', jsonb_build_object('messageId', id) from delivered
  ), handed as (
    select d.*, false as repeat from delivered d
    union all
    select m.*, true as repeat from chat_messages m join again on again.id = m.id join session on true
  )
  select ${MESSAGE_COLUMNS}, m.repeat from handed m ${MESSAGE_SENDER_JOIN} order by m.seq`;
