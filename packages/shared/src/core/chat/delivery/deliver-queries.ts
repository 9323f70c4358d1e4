import { CompiledQuery } from 'kysely';
import type { Message } from '../../../contract/chat.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { PAGE_BYTES } from '../../../platform/db/page.ts';
import { newId } from '../../../platform/ids.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { noTurnSql, WORKS_ON_CARD_SQL } from '../../sessions/session-work.ts';
import { overLimitSql } from '../../usage/daily-limit-queries.ts';
import {
  INVISIBLE_SQL,
  MESSAGE_COLUMNS,
  MESSAGE_SENDER_JOIN,
  type MessageRow,
  toMessage,
} from '../message-queries.ts';
import { BATCH } from './delivery-queries.ts';

const CONTEXT_MESSAGES = 20;
/** The total size of the contents; the newest one is given whatever its size. */
const CONTEXT_BYTES = 262_144;

/** A message as it is given, with its batch; `repeat`: the session held it already. */
export type DeliveredRow = MessageRow & { batch_id: string; repeat: boolean };

/**
 * Gives the messages of one source. Null: messages waited when the statement began, but another call took
 * them before it had the lock; or the session shares the folder of its project (deliverInFolder).
 */
export async function deliver(
  database: Database,
  caller: AgentCaller,
  now: Date,
): Promise<DeliveredRow[] | null> {
  const values = [...valuesOf(caller, now), null, false];
  const rows = await database.statement<MaybeDelivered>({ name: 'deliver', text: DELIVER, values });
  const given = rows.filter(isDelivered);
  return given.length === 0 && rows.length > 0 ? null : given;
}

/**
 * The same for a session that shares the folder of its project, which is locked; new messages only of these
 * `threads`.
 */
export async function deliverInFolder(
  tx: Tx,
  caller: AgentCaller,
  { now, threads }: { readonly now: Date; readonly threads: 'all' | readonly string[] },
): Promise<DeliveredRow[]> {
  const values = [...valuesOf(caller, now), threads === 'all' ? null : threads, true];
  const query = CompiledQuery.raw(DELIVER, values);
  const { rows } = await tx.db.withoutPlugins().executeQuery<MaybeDelivered>(query);
  return rows.filter(isDelivered);
}

type MaybeDelivered = DeliveredRow | { id: null };

const isDelivered = (row: MaybeDelivered): row is DeliveredRow => row.id !== null;

function valuesOf({ sessionId, agentId, projectId, purpose }: AgentCaller, now: Date): unknown[] {
  return [sessionId, agentId, projectId, BATCH, purpose === 'chat', newId('bat'), PAGE_BYTES, now];
}

/** The earlier messages, as many as are shown, and the number of all messages. */
export async function readContext(
  database: Database,
  agentId: string,
  threadId: string,
  handedOver: readonly string[],
): Promise<{ context: Message[]; total: number; isTruncated: boolean }> {
  const rows = await database.statement<ContextRow>({
    name: 'delivery-context',
    text: CONTEXT,
    values: [threadId, agentId, handedOver, CONTEXT_MESSAGES, CONTEXT_BYTES],
  });
  const said = rows.filter((row): row is SaidRow => row.id !== null);
  return {
    context: said.map(toMessage),
    total: rows[0]?.total ?? 0,
    isTruncated: said[0]?.has_older === true,
  };
}

/** A thread without earlier messages has one row, without a message. */
type ContextRow = SaidRow | { id: null; total: number };
type SaidRow = MessageRow & { total: number; has_older: true | null };

/**
 * In the order of writing and not by place: the agent's last answer is behind a message that came while it
 * was written.
 */
const CONTEXT = `
  select counted.total, m.has_older, ${MESSAGE_COLUMNS}
  from (select t.last_seq::int - ${INVISIBLE_SQL} as total from chat_threads t where t.id = $1) counted
  left join (
    select *, row_number() over w as place, lead(true) over w as has_older,
      sum(octet_length(content)) over w as bytes
    from (
      select * from chat_messages m
      where m.thread_id = $1 and m.visible and m.sender <> 'system'
        and not (m.state = 'stored' and coalesce(m.deliver_to = $2, false)) and m.id <> all($3::text[])
      order by m.seq desc limit $4 + 1
    ) newest
    window w as (order by seq desc)
  ) m on m.place = 1 or (m.place <= $4 and m.bytes <= $5)
  ${MESSAGE_SENDER_JOIN}
  order by m.seq`;

/**
 * What is held comes before what is new elsewhere: its response may have been lost, and messages that keep coming
 * from other sources would defer it until the turn limit. Giving it again makes it wait as long again.
 */
const HELD_FIRST_AFTER = `interval '60 seconds'`;
/**
 * Over `b` (the batch given longest ago) and `s` (its session): it does not work on it, as far as is known. Not twice in
 * succession: what is new is not deferred by it either.
 */
const OVERDUE_SQL = `(b.given_at <= clock_timestamp() - ${HELD_FIRST_AFTER}
          and ${noTurnSql('$8::timestamptz')} and not ${WORKS_ON_CARD_SQL}
          and coalesce(s.last_source, 'chat') <> (select coalesce(t.conversation_id, 'chat') from chat_threads t
            where t.id = b.thread_id))`;

/**
 * Delivery in one statement. The row of the session is locked first and must still be active: a session that
 * ended in between gets nothing (I-2). Messages are updated by their keys: a plain `deliver_to = $2` there
 * would read all unread messages again. A batch that is given again unchanged keeps its id; with new messages
 * it becomes a new batch, and the older one stays for an answer that names it. $9: the only threads of which new
 * messages are given, null for all. $10: the folder of the project is locked.
 */
const DELIVER = `
  with over as materialized (
    select ${overLimitSql('$2', '$8')} as is_over
  ), source as materialized (
    select thread_id from (
      (select 0 as lane, m.created_at as since, m.thread_id from chat_messages m
        where m.deliver_to = $2 and m.project_id = $3 and m.state = 'stored'
          and not (select is_over from over) and ($9::text[] is null or m.thread_id = any($9))
          and case when m.conversation_id is null then $5::boolean
            else exists (select from conversations c
              where c.id = m.conversation_id and $1 in (c.initiator_session_id, c.participant_session_id)) end
        order by m.created_at, m.seq limit 1)
      union all
      (select case when ${OVERDUE_SQL} then -1 else 1 end, b.given_at, b.thread_id from (
        select b.given_at, m.thread_id from chat_messages m join delivery_batches b on b.id = m.batch_id
        where m.delivered_session_id = $1 and m.state = 'delivered'
        order by b.given_at limit 1) b join agent_sessions s on s.id = $1)
    ) waiting order by lane limit 1
  ), unanswered as materialized (
    select m.id, m.batch_id, octet_length(m.content) as bytes from chat_messages m, source
    where m.delivered_session_id = $1 and m.state = 'delivered' and m.thread_id = source.thread_id
  ), unread as materialized (
    select id, bytes from (
      select id, bytes, row_number() over w as place, sum(bytes) over w as upto from (
        select m.id, m.created_at, m.seq, octet_length(m.content) as bytes from chat_messages m, source
        where m.deliver_to = $2 and m.project_id = $3 and m.state = 'stored' and m.thread_id = source.thread_id
          and not (select is_over from over) and ($9::text[] is null or m.thread_id = any($9))
        order by m.created_at, m.seq limit $4
      ) oldest
      window w as (order by created_at, seq)
    ) sized
    where place = 1 or upto <= $7
  ), held as (
    select id, batch_id from unanswered
    where (select sum(bytes) from (select bytes from unanswered union all select bytes from unread) both_kinds) <= $7
      or (not exists (select from unread) and batch_id = (select b.id from delivery_batches b
        where b.id in (select batch_id from unanswered) order by b.given_at limit 1))
  ), growth as (
    select exists (select from unread) or (select count(distinct batch_id) > 1 from held) as is_new
  ), session as (
    update agent_sessions set last_seen_at = clock_timestamp(),
      -- A repetition does not make the turn longer.
      last_activity_at = case when growth.is_new then clock_timestamp() else last_activity_at end,
      last_source = coalesce(thread.conversation_id, 'chat'),
      -- Meant for a turn that nothing has answered: an ended conversation has taken its messages away.
      control = case when holding.is_any then control end,
      chain_id = case when thread.conversation_id is not null or not growth.is_new then chain_id end
    from growth, (select exists (select from chat_messages m
        where m.delivered_session_id = $1 and m.state = 'delivered') as is_any) holding,
      (select t.conversation_id from source join chat_threads t on t.id = source.thread_id) thread
    where id = $1 and state = 'active' and ($10::boolean or not shares_folder)
    returning id, growth.is_new
  ), delivered as (
    update chat_messages m set state = 'delivered', delivered_session_id = $1, delivered_at = clock_timestamp(),
      batch_id = $6
    from unread, session
    where m.id = unread.id and m.state = 'stored' and coalesce(m.deliver_to, '') = $2
    returning m.*
  ), given_again as (
    update chat_messages m set batch_id = case when session.is_new then $6 else m.batch_id end
    from held, session
    where m.id = held.id and m.state = 'delivered' and m.delivered_session_id = $1
    returning m.*
  ), handed as (
    select *, false as repeat from delivered union all select *, true as repeat from given_again
  ), batch as (
    insert into delivery_batches (id, session_id, thread_id, message_ids, given_at)
    select $6, $1, min(thread_id), array_agg(id order by seq), clock_timestamp() from handed
    where batch_id = $6 having count(*) > 0
  ), same_batch as (
    update delivery_batches set given_at = clock_timestamp()
    where id = (select batch_id from given_again where batch_id <> $6 limit 1)
  ), still_offered as (
    -- It was told to fetch, and gets something else: what waits in other sources was not given by that.
    update delivery_batches b set offers = b.offers - 1 from session, source
    where session.is_new and b.offers > 0 and b.id in (select m.batch_id from chat_messages m
      where m.delivered_session_id = $1 and m.state = 'delivered' and m.id not in (select id from held))
  ), fact as (
    insert into change_log (project_id, kind, ref)
    select $3, 'message', jsonb_build_object('messageId', id) from delivered
  )
  select ${MESSAGE_COLUMNS}, m.batch_id, m.repeat
  from source left join handed m on true ${MESSAGE_SENDER_JOIN} order by m.seq`;
