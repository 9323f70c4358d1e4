import { sql } from 'kysely';
import { appendFacts } from '../../platform/changes/change-log.ts';
import { keys } from '../../platform/changes/keys.ts';
import { transcriptLine, transcriptLineBytes } from '../../platform/transcript/transcript-line.ts';
import { type ChatTx, chatThreadId } from '../chat/chat-transaction.ts';
import type { DeliveryBatch } from '../chat/delivery/delivery-batches.ts';
import { byteQuota, requireWithinQuota } from '../chat/quota/byte-quota.ts';
import { addSaidBytes } from '../chat/quota/said-bytes.ts';
import type { ServiceDeps } from '../deps.ts';
import type { ConversationRecord } from './conversation-queries.ts';
import { partnerOf } from './conversation-queries.ts';

export interface ConversationMessage {
  readonly id: string;
  readonly senderId: string;
  readonly content: string;
  readonly relatedTaskId?: string | undefined;
}

/**
 * Stores a message between two agents at the end of their thread. It stands in both agents' chat.jsonl: each file
 * has its own place for it, in the receiver's without `receiverId`. The conversation is locked and counts it too.
 * @throws AppError quota_reached when its agent has written enough in this hour.
 */
export async function storeConversationMessage(
  deps: ServiceDeps,
  tx: ChatTx,
  conversation: ConversationRecord,
  message: ConversationMessage,
  now: Date,
): Promise<void> {
  const { projectId } = conversation;
  const receiverId = partnerOf(conversation, message.senderId);
  const line = {
    ...message,
    sender: 'agent' as const,
    visible: true,
    conversationId: conversation.id,
  };
  const ownBytes = transcriptLineBytes({ ...line, receiverId });
  const files = await takePlaces(tx, projectId, [
    { agentId: message.senderId, bytes: ownBytes, said: ownBytes },
    { agentId: receiverId, bytes: transcriptLineBytes(line), said: 0 },
  ]);
  const sender = { projectId, agentId: message.senderId };
  const bytes = takenBy(files, message.senderId).saidBytes;
  // Known already: who says something has read its limits.
  requireWithinQuota(deps, sender, { bytes, quota: await byteQuota(deps) });
  const { rows } = await sql<{ createdAt: Date; workingDirectory: string }>`
    with t as (
      update chat_threads set last_seq = last_seq + 1 where id = ${conversation.id}
      returning last_seq, date_trunc('milliseconds', clock_timestamp()) as now
    ), chain as (
      update conversation_chains set message_count = message_count + 1 where id = ${conversation.chainId}
    ), counted as (
      update conversations set message_count = message_count + 1, last_activity_at = ${now}
      where id = ${conversation.id}
    )
    insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, receiver_id, content,
      created_at, conversation_id, related_task_id, deliver_to, log_offset, peer_agent_id, peer_log_offset)
    select ${message.id}, ${conversation.id}, t.last_seq, ${projectId}, ${message.senderId}, 'agent',
      ${message.senderId}, ${receiverId}, ${message.content}, t.now, ${conversation.id},
      ${message.relatedTaskId ?? null}::text, ${receiverId}, ${placeOf(files, message.senderId)},
      ${receiverId}, ${placeOf(files, receiverId)}
    from t
    returning created_at,
      (select working_directory from projects p where p.id = ${projectId}) as working_directory`.execute(
    tx.db,
  );
  const row = rows[0];
  if (!row) throw new Error('the thread of a conversation is missing');
  for (const agentId of [message.senderId, receiverId])
    tx.lines.push({
      projectId,
      agentId,
      workingDirectory: row.workingDirectory,
      offset: placeOf(files, agentId),
      line: transcriptLine({
        ...line,
        ...(agentId === message.senderId && { receiverId }),
        createdAt: row.createdAt.toISOString(),
      }),
    });
  await appendFacts(tx, [{ kind: 'message', projectId, ref: { messageId: message.id } }]);
  tx.dirty(keys.pair(projectId, receiverId));
}

interface Taken {
  readonly agentId: string;
  /** The byte at which the agent's file gets its line. */
  readonly logOffset: number;
  readonly saidBytes: number;
}

/** A place in each agent's file, and what it has written in this hour; the threads are locked in one order. */
async function takePlaces(
  tx: ChatTx,
  projectId: string,
  lines: readonly { agentId: string; bytes: number; said: number }[],
): Promise<ReadonlyMap<string, Taken>> {
  const ids = lines.map(({ agentId }) => chatThreadId(projectId, agentId));
  await sql`select from chat_threads where id = any(${ids}::text[]) order by id for update`.execute(tx.db);
  const { rows } = await sql<Taken>`
    update chat_threads t set log_bytes = t.log_bytes + l.bytes, ${addSaidBytes(sql`l.said`)}
    from unnest(${ids}::text[], ${lines.map(({ bytes }) => bytes)}::bigint[], ${lines.map(({ said }) => said)}::bigint[])
      as l (id, bytes, said)
    where t.id = l.id
    returning t.agent_id, t.log_bytes - l.bytes as log_offset, t.said_bytes`.execute(tx.db);
  return new Map(rows.map((row) => [row.agentId, row]));
}

function takenBy(files: ReadonlyMap<string, Taken>, agentId: string): Taken {
  const taken = files.get(agentId);
  if (taken === undefined) throw new Error('the thread of a member is missing');
  return taken;
}

function placeOf(files: ReadonlyMap<string, Taken>, agentId: string): number {
  return takenBy(files, agentId).logOffset;
}

export interface BatchAnswer {
  readonly sessionId: string;
  readonly batch: DeliveryBatch;
  /** null: read, no answer needed. */
  readonly answerId: string | null;
  readonly now: Date;
}

/** What the session still holds of the batch counts as answered, and nothing else (I-11). Returns how many. */
export async function answerBatch(
  tx: ChatTx,
  conversation: ConversationRecord,
  { sessionId, batch, answerId, now }: BatchAnswer,
): Promise<number> {
  await tx.db
    .updateTable('deliveryBatches')
    .set({ answeredAt: now, answerId })
    .where('id', '=', batch.id)
    .where('answeredAt', 'is', null)
    .execute();
  const { rows } = await sql<{ id: string }>`
    update chat_messages set state = 'answered', answered_at = ${now}, no_reply = ${answerId === null},
      batch_id = ${batch.id}
    where delivered_session_id = ${sessionId} and state = 'delivered' and thread_id = ${conversation.id}
      and id = any(${batch.messageIds}::text[])
    returning id`.execute(tx.db);
  await appendFacts(
    tx,
    rows.map(
      ({ id }) => ({ kind: 'message', projectId: conversation.projectId, ref: { messageId: id } }) as const,
    ),
  );
  return rows.length;
}
