import { sql } from 'kysely';
import type { Attachment } from '../../contract/attachment.ts';
import type { TextParams } from '../../contract/chat.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { addSaidBytes } from './quota/quota-queries.ts';
import { chatThreadId } from './thread-id.ts';

export interface NewMessage {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly sender: 'user' | 'agent' | 'system';
  readonly senderId: string;
  readonly humanId?: string | undefined;
  readonly receiverId?: string | undefined;
  readonly content: string;
  readonly visible: boolean;
  readonly relatedTaskId?: string | undefined;
  readonly clientMessageId?: string | undefined;
  /** The agent that must read it; absent: no agent must read it. */
  readonly deliverTo?: string | undefined;
  /** The schedule that posted it in the person's name. */
  readonly scheduleId?: string | undefined;
  /** What is kept of its files; they are claimed in the same transaction. */
  readonly attachments?: readonly Attachment[] | undefined;
  readonly system?: { readonly code: string; readonly params: TextParams };
}

export interface AppendedMessage {
  readonly createdAt: Date;
  /** The byte of chat.jsonl at which its line begins. */
  readonly logOffset: number;
  readonly workingDirectory: string;
  /** The bytes that the agent of the thread has written in this hour, with this message. */
  readonly saidBytes: number;
}

/** The thread of a new member; a returning member has its old thread. */
export async function insertChatThread(db: Queryable, membership: MembershipKey): Promise<void> {
  await db
    .insertInto('chatThreads')
    .values({ id: chatThreadId(membership.projectId, membership.agentId), ...membership })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function lockThread(db: Queryable, threadId: string): Promise<void> {
  await db.selectFrom('chatThreads').select('id').where('id', '=', threadId).forUpdate().execute();
}

/**
 * Stores a message at the end of its thread; `bytes`: the length of its line in chat.jsonl. The row lock of
 * the thread makes both counters gapless and in commit order. Undefined: the thread does not exist.
 */
export async function appendMessage(
  db: Queryable,
  message: NewMessage,
  bytes: number,
): Promise<AppendedMessage | undefined> {
  const said = sql`${message.sender === 'agent' ? bytes : 0}::bigint`;
  const news = message.visible && message.sender !== 'user' ? 1 : 0;
  const { rows } = await sql<AppendedMessage>`
    with t as (
      update chat_threads t set last_seq = t.last_seq + 1, log_bytes = t.log_bytes + ${bytes}::bigint,
        ${addSaidBytes(said)}, news_count = t.news_count + ${news}::int,
        news_hour = case when ${news}::int = 1 then date_trunc('hour', clock_timestamp(), 'UTC') else t.news_hour end
      where t.id = ${chatThreadId(message.projectId, message.agentId)}
      returning t.id, t.last_seq, t.said_bytes, t.log_bytes - ${bytes}::bigint as log_offset,
        date_trunc('milliseconds', clock_timestamp()) as now
    )
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, human_id, receiver_id,
      content, created_at, visible, related_task_id, client_message_id, deliver_to, schedule_id, system,
      attachments, log_offset)
    select ${message.id}, t.id, t.last_seq, ${message.projectId}, ${message.agentId}, ${message.sender},
      ${message.senderId}, ${message.humanId ?? null}::text, ${message.receiverId ?? null}::text, ${message.content},
      t.now, ${message.visible}, ${message.relatedTaskId ?? null}::text, ${message.clientMessageId ?? null}::text,
      ${message.deliverTo ?? null}::text, ${message.scheduleId ?? null}::text, ${message.system ? JSON.stringify(message.system) : null}::jsonb,
      ${message.attachments ? JSON.stringify(message.attachments) : null}::jsonb, t.log_offset
    from t
    returning created_at, log_offset, (select said_bytes from t) as said_bytes,
      (select working_directory from projects p where p.id = ${message.projectId}) as working_directory`.execute(
    db,
  );
  return rows[0];
}

/** The text of the newest visible line of a chat, when it is a system line. */
export async function lastSystemParams(db: Queryable, membership: MembershipKey): Promise<TextParams | null> {
  const { rows } = await sql<{ params: TextParams | null }>`
    select system -> 'params' as params from chat_messages
    where thread_id = ${chatThreadId(membership.projectId, membership.agentId)} and visible
    order by seq desc limit 1`.execute(db);
  return rows[0]?.params ?? null;
}

/** The message that a person's client has posted under this id. */
export function findByClientId(
  db: Queryable,
  of: { threadId: string; humanId: string; clientMessageId: string },
): Promise<{ id: string; content: string; attachments: unknown } | undefined> {
  return db
    .selectFrom('chatMessages')
    .select(['id', 'content', 'attachments'])
    .where('threadId', '=', of.threadId)
    .where('humanId', '=', of.humanId)
    .where('clientMessageId', '=', of.clientMessageId)
    .executeTakeFirst();
}

export async function lockMessage(
  db: Queryable,
  message: MembershipKey & { messageId: string },
): Promise<{ state: string; sender: string } | undefined> {
  const { rows } = await sql<{ state: string; sender: string }>`
    select state, sender from chat_messages
    where id = ${message.messageId} and project_id = ${message.projectId} and agent_id = ${message.agentId}
    for update`.execute(db);
  return rows[0];
}

/** A failed message waits again; its crash count is reset. What a session was given is given again, and marked. */
export async function restoreFailedMessage(db: Queryable, messageId: string): Promise<void> {
  await db
    .updateTable('chatMessages')
    .set({
      state: 'stored',
      failure: null,
      failedAt: null,
      crashes: 0,
      redelivered: sql<boolean>`redelivered or batch_id is not null`,
    })
    .where('id', '=', messageId)
    .where('state', '=', 'failed')
    .execute();
}
