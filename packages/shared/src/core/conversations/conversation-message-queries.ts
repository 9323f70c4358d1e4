import { sql } from 'kysely';
import type { Usage } from '../../contract/usage.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { MESSAGE_COLUMNS, MESSAGE_SENDER_JOIN, type MessageRow } from '../chat/message-queries.ts';
import { addSaidBytes } from '../chat/quota/quota-queries.ts';

type MessageId = { readonly id: string };

/** A place in an agent's chat.jsonl, and what the agent has written in this hour. */
export interface Place {
  readonly agentId: string;
  /** The byte of the file at which the line begins. */
  readonly logOffset: number;
  readonly saidBytes: number;
}

/** The threads of these ids, locked in their order. */
export async function lockThreads(db: Queryable, ids: readonly string[]): Promise<void> {
  await sql`select from chat_threads where id = any(${ids}::text[]) order by id for update`.execute(db);
}

/** Takes a place in the file of each of these threads. They are locked. */
export async function takePlaces(
  db: Queryable,
  lines: readonly { threadId: string; bytes: number; said: number }[],
): Promise<Place[]> {
  const { rows } = await sql<Place>`
    update chat_threads t set log_bytes = t.log_bytes + l.bytes, ${addSaidBytes(sql`l.said`)}
    from unnest(${lines.map(({ threadId }) => threadId)}::text[], ${lines.map(({ bytes }) => bytes)}::bigint[],
        ${lines.map(({ said }) => said)}::bigint[])
      as l (id, bytes, said)
    where t.id = l.id
    returning t.agent_id, t.log_bytes - l.bytes as log_offset, t.said_bytes`.execute(db);
  return rows;
}

/**
 * Stores a message at the end of the thread of its conversation; the conversation and its chain count it, and
 * its silence is counted from the time of the message. Undefined: the thread does not exist.
 */
export async function insertConversationMessage(
  db: Queryable,
  message: {
    id: string;
    conversationId: string;
    chainId: string;
    projectId: string;
    senderId: string;
    receiverId: string;
    content: string;
    relatedTaskId: string | null;
    retrievalRunId: string | null;
    steps: number | null;
    usage: Usage | null;
    model: string | null;
    logOffset: number;
    peerLogOffset: number;
    now: Date;
  },
): Promise<{ createdAt: Date; workingDirectory: string } | undefined> {
  const { rows } = await sql<{ createdAt: Date; workingDirectory: string }>`
    with t as (
      update chat_threads set last_seq = last_seq + 1 where id = ${message.conversationId}
      returning last_seq, date_trunc('milliseconds', clock_timestamp()) as now
    ), chain as (
      update conversation_chains set message_count = message_count + 1 where id = ${message.chainId}
    ), counted as (
      update conversations set message_count = message_count + 1, last_activity_at = greatest(t.now, ${message.now})
      from t where id = ${message.conversationId}
    )
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, receiver_id, content,
      created_at, conversation_id, related_task_id, deliver_to, log_offset, peer_agent_id, peer_log_offset,
      retrieval_run_id, steps, usage, model)
    select ${message.id}, ${message.conversationId}, t.last_seq, ${message.projectId}, ${message.senderId}, 'agent',
      ${message.senderId}, ${message.receiverId}, ${message.content}, t.now, ${message.conversationId},
      ${message.relatedTaskId}::text, ${message.receiverId}, ${message.logOffset},
      ${message.receiverId}, ${message.peerLogOffset}, ${message.retrievalRunId}::text, ${message.steps}::int,
      ${message.usage === null ? null : JSON.stringify(message.usage)}::jsonb, ${message.model}::text
    from t
    returning created_at,
      (select working_directory from projects p where p.id = ${message.projectId}) as working_directory`.execute(
    db,
  );
  return rows[0];
}

/** How many messages an agent has sent to other agents of its project since then. */
export async function countSentSince(
  db: Queryable,
  of: { projectId: string; agentId: string; since: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from chat_messages
    where project_id = ${of.projectId} and sender_id = ${of.agentId} and conversation_id is not null
      and created_at > ${of.since}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The messages that the session still holds of the batch count as answered. */
export async function answerHeld(
  db: Queryable,
  of: {
    sessionId: string;
    threadId: string;
    batch: { id: string; messageIds: readonly string[] };
    noReply: boolean;
    now: Date;
  },
): Promise<MessageId[]> {
  const { rows } = await sql<MessageId>`
    update chat_messages set state = 'answered', answered_at = ${of.now}, no_reply = ${of.noReply},
      batch_id = ${of.batch.id}
    where delivered_session_id = ${of.sessionId} and state = 'delivered' and thread_id = ${of.threadId}
      and id = any(${of.batch.messageIds}::text[])
    returning id`.execute(db);
  return rows;
}

/** The messages that the notice of an end carried to an agent are read, and need no answer. */
export async function answerCarried(
  db: Queryable,
  of: { threadId: string; receiverId: string; now: Date },
): Promise<MessageId[]> {
  const { rows } = await sql<MessageId>`
    update chat_messages set state = 'answered', answered_at = ${of.now}, no_reply = true,
      deliver_to = receiver_id
    where thread_id = ${of.threadId} and receiver_id = ${of.receiverId} and state = 'stored'
    returning id`.execute(db);
  return rows;
}

/**
 * A conversation ends: the messages that `endedBy` holds are answered, the unanswered ones of the other side
 * wait for its notice.
 */
export async function settleUnanswered(
  db: Queryable,
  of: { threadId: string; endedBy: string | null; now: Date },
): Promise<MessageId[]> {
  const { rows } = await sql<MessageId>`
    update chat_messages m set
      state = case when read.was then 'answered' else 'stored' end,
      answered_at = case when read.was then ${of.now}::timestamptz end, no_reply = read.was,
      deliver_to = case when read.was then m.deliver_to end,
      delivered_session_id = case when read.was then m.delivered_session_id end,
      delivered_at = case when read.was then m.delivered_at end
    from (select id, state = 'delivered' and receiver_id is not distinct from ${of.endedBy}::text as was from chat_messages
      where thread_id = ${of.threadId} and state in ('stored', 'delivered') for update) read
    where m.id = read.id
    returning m.id`.execute(db);
  return rows;
}

/** Unanswered messages fail, also those that a session holds. */
export async function failUnanswered(
  db: Queryable,
  of: { threadId: string; code: string; now: Date },
): Promise<MessageId[]> {
  const { rows } = await sql<MessageId>`
    update chat_messages set state = 'failed', failure = ${failureOf(of.code)}::jsonb, failed_at = ${of.now},
      delivered_session_id = null
    where thread_id = ${of.threadId} and state in ('stored', 'delivered')
    returning id`.execute(db);
  return rows;
}

/** The messages of a notice that no session came to acknowledge. */
export async function failCarried(
  db: Queryable,
  of: { threadId: string; code: string; now: Date },
): Promise<MessageId[]> {
  const { rows } = await sql<MessageId>`
    update chat_messages set state = 'failed', failure = ${failureOf(of.code)}::jsonb, failed_at = ${of.now}, deliver_to = receiver_id
    where thread_id = ${of.threadId} and state = 'stored'
    returning id`.execute(db);
  return rows;
}

/**
 * The messages that the notice of an end carries to an agent: its own failed ones (`expired`), or those that
 * it has not read (`ended`).
 */
export async function carriedRows(
  db: Queryable,
  of: { threadId: string; agentId: string; kind: 'ended' | 'expired' },
): Promise<(MessageRow & { batch_id: string | null })[]> {
  const which =
    of.kind === 'expired'
      ? sql`m.sender_id = ${of.agentId} and m.state = 'failed'`
      : sql`m.receiver_id = ${of.agentId} and m.state = 'stored'`;
  const { rows } = await sql<MessageRow & { batch_id: string | null }>`
    select ${sql.raw(MESSAGE_COLUMNS)}, m.batch_id from chat_messages m ${sql.raw(MESSAGE_SENDER_JOIN)}
    where m.thread_id = ${of.threadId} and ${which} order by m.seq`.execute(db.withoutPlugins());
  return rows;
}

function failureOf(code: string): string {
  return JSON.stringify({ code, params: {} });
}
