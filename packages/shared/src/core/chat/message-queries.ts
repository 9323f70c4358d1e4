import { sql } from 'kysely';
import type { Message } from '../../contract/chat.ts';
import { messageSchema } from '../../contract/chat.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { storedAttachments } from '../attachments/stored-attachments.ts';
import { MESSAGE_STATES } from './rules/message-machine.ts';

/** Columns of a message in SQL, with `m` for chat_messages and `sender_agent` for agents. */
export const MESSAGE_COLUMNS = `m.id, m.project_id, m.sender, m.sender_id, m.human_id, m.receiver_id, m.content,
  m.created_at, m.visible, m.conversation_id, m.related_task_id, m.schedule_id,
  m.state, m.failure, m.system, m.redelivered,
  m.no_reply, m.retrieval_run_id, m.steps, m.usage, m.model, m.seq, m.attachments, sender_agent.name as sender_name`;

/** Joins the agent whose name is shown: the person behind `user`, else the agent itself. */
export const MESSAGE_SENDER_JOIN = `left join agents sender_agent on sender_agent.id = coalesce(m.human_id, m.sender_id)`;

/** A row as raw SQL returns it (snake_case). */
export interface MessageRow {
  id: string;
  project_id: string;
  sender: string;
  sender_id: string;
  human_id: string | null;
  receiver_id: string | null;
  content: string;
  created_at: Date;
  visible: boolean;
  conversation_id: string | null;
  related_task_id: string | null;
  schedule_id: string | null;
  state: string;
  failure: unknown;
  system: unknown;
  redelivered: boolean;
  no_reply: boolean;
  retrieval_run_id: string | null;
  steps: number | null;
  usage: unknown;
  model: string | null;
  seq: number;
  attachments: unknown;
  sender_name: string | null;
}

const shape = messageSchema.shape;

/** The row in its public form; absent instead of null. */
export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    projectId: row.project_id,
    senderId: row.sender_id,
    ...(row.human_id !== null && { humanId: row.human_id }),
    senderName: row.sender_name ?? (row.sender === 'system' ? 'System' : row.sender_id),
    ...(row.receiver_id !== null && { receiverId: row.receiver_id }),
    sender: shape.sender.parse(row.sender),
    content: row.content,
    createdAt: row.created_at.toISOString(),
    visible: row.visible,
    ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
    ...(row.related_task_id !== null && { relatedTaskId: row.related_task_id }),
    ...(row.schedule_id !== null && { scheduleId: row.schedule_id }),
    ...(row.attachments !== null && { attachments: storedAttachments(row.attachments) }),
    state: MESSAGE_STATES.find((state) => state === row.state) ?? 'stored',
    ...(row.failure !== null && { failure: shape.failure.parse(row.failure) }),
    ...(row.system !== null && { system: shape.system.parse(row.system) }),
    ...(row.redelivered && { redelivered: true }),
    ...(row.no_reply && { noReply: true }),
    ...(row.retrieval_run_id !== null && { retrievalRunId: row.retrieval_run_id }),
    ...(row.steps !== null && { steps: row.steps }),
    ...(row.usage !== null && { usage: shape.usage.parse(row.usage) }),
    ...(row.model !== null && { model: row.model }),
    seq: row.seq,
  };
}

/** The messages of a thread `t` (chat_threads) that people do not see. */
export const INVISIBLE_SQL = `(select count(*)::int from chat_messages i where i.thread_id = t.id and not i.visible)`;

/** The number of messages of a thread: its gapless counter minus the few that people do not see. */
export async function countMessages(
  db: Queryable,
  threadId: string,
  options: { invisible?: boolean | undefined } = {},
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select t.last_seq::int - case when ${options.invisible ?? false} then 0
      else ${sql.raw(INVISIBLE_SQL)} end as count
    from chat_threads t where t.id = ${threadId}`.execute(db);
  return rows[0]?.count ?? 0;
}
