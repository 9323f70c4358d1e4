import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import { transcriptLine, transcriptLineBytes } from '../../platform/transcript/transcript-line.ts';
import type { ChatTx } from '../chat/chat-transaction.ts';
import type { DeliveryBatch } from '../chat/delivery/delivery-queries.ts';
import { setBatchAnswered } from '../chat/delivery/delivery-queries.ts';
import { byteQuota, requireWithinQuota } from '../chat/quota/byte-quota.ts';
import { chatThreadId } from '../chat/thread-id.ts';
import type { ServiceDeps } from '../deps.ts';
import type { CountedUsage } from '../usage/usage-queries.ts';
import {
  answerHeld,
  insertConversationMessage,
  lockThreads,
  type Place,
  takePlaces,
} from './conversation-message-queries.ts';
import { type ConversationRecord, partnerOf } from './conversation-queries.ts';

export interface ConversationMessage {
  readonly id: string;
  readonly senderId: string;
  readonly content: string;
  readonly relatedTaskId?: string | undefined;
  /** The number of steps that are kept with it. */
  readonly steps?: number | null;
  readonly counted?: CountedUsage | undefined;
  /** What was recalled for what it answers. */
  readonly retrievalRunId?: string | null | undefined;
}

/**
 * Stores a message between two agents at the end of their thread. It is in the chat.jsonl of both agents:
 * each file has its own place for it, in the receiver's without `receiverId`. The conversation is locked and
 * counts it too.
 * @throws AppError quota_reached when the writing agent has used its quota of this hour.
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
  const { steps, counted, retrievalRunId, ...words } = message;
  // What is said in a conversation of a task is about the task.
  const relatedTaskId = message.relatedTaskId ?? conversation.taskId ?? undefined;
  const said = { ...words, ...(relatedTaskId !== undefined && { relatedTaskId }) };
  const line = {
    ...said,
    sender: 'agent' as const,
    visible: true,
    conversationId: conversation.id,
  };
  const ownBytes = transcriptLineBytes({ ...line, receiverId });
  const files = await placesInFiles(tx, projectId, [
    { agentId: message.senderId, bytes: ownBytes, said: ownBytes },
    { agentId: receiverId, bytes: transcriptLineBytes(line), said: 0 },
  ]);
  const sender = { projectId, agentId: message.senderId };
  const bytes = takenBy(files, message.senderId).saidBytes;
  // Known already: the writing call has read the limits.
  requireWithinQuota(deps, sender, { bytes, quota: await byteQuota(deps) });
  const row = await insertConversationMessage(tx.db, {
    id: message.id,
    conversationId: conversation.id,
    chainId: conversation.chainId,
    projectId,
    senderId: message.senderId,
    receiverId,
    content: message.content,
    relatedTaskId: relatedTaskId ?? null,
    retrievalRunId: retrievalRunId ?? null,
    steps: steps ?? null,
    usage: counted?.usage ?? null,
    model: counted?.model ?? null,
    logOffset: placeOf(files, message.senderId),
    peerLogOffset: placeOf(files, receiverId),
    now,
  });
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
  await appendChangeEvents(tx, [{ kind: 'message', projectId, ref: { messageId: message.id } }]);
  tx.dirty(keys.membership(projectId, receiverId));
}

/**
 * A place in the file of each agent, and the bytes that it has written in this hour; the threads are locked
 * in one order.
 */
async function placesInFiles(
  tx: ChatTx,
  projectId: string,
  lines: readonly { agentId: string; bytes: number; said: number }[],
): Promise<ReadonlyMap<string, Place>> {
  const places = lines.map(({ agentId, ...line }) => ({
    ...line,
    threadId: chatThreadId(projectId, agentId),
  }));
  await lockThreads(
    tx.db,
    places.map(({ threadId }) => threadId),
  );
  return new Map((await takePlaces(tx.db, places)).map((place) => [place.agentId, place]));
}

function takenBy(files: ReadonlyMap<string, Place>, agentId: string): Place {
  const taken = files.get(agentId);
  if (taken === undefined) throw new Error('the thread of a member is missing');
  return taken;
}

function placeOf(files: ReadonlyMap<string, Place>, agentId: string): number {
  return takenBy(files, agentId).logOffset;
}

export interface BatchAnswer {
  readonly sessionId: string;
  readonly batch: DeliveryBatch;
  /** null: read, no answer needed. */
  readonly answerId: string | null;
  readonly now: Date;
}

/**
 * The messages that the session still holds of the batch count as answered, and no others (I-11). Returns how
 * many.
 */
export async function answerBatch(
  tx: ChatTx,
  conversation: ConversationRecord,
  { sessionId, batch, answerId, now }: BatchAnswer,
): Promise<number> {
  await setBatchAnswered(tx.db, batch.id, { answerId, now });
  const rows = await answerHeld(tx.db, {
    sessionId,
    threadId: conversation.id,
    batch,
    noReply: answerId === null,
    now,
  });
  await appendChangeEvents(
    tx,
    rows.map(
      ({ id }) => ({ kind: 'message', projectId: conversation.projectId, ref: { messageId: id } }) as const,
    ),
  );
  return rows.length;
}
