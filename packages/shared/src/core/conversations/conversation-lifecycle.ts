import { appendChangeEvents, appendMessageEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { resumeFolderStarts } from '../folders/folder-waits.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { restartConversationsOf } from '../wake-ups/folder-start-queries.ts';
import { leaveQueue } from '../wake-ups/start-queue.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { setEnding, setSettled } from './conversation-change-queries.ts';
import { failCarried, failUnanswered, settleUnanswered } from './conversation-message-queries.ts';
import { ConversationQueries, type ConversationRecord } from './conversation-queries.ts';
import { endNotices, insertEndNotices, voidNotices } from './notice-queries.ts';
import {
  type ConversationChange,
  type ConversationCommand,
  type ConversationEnding,
  decideConversation,
  type SideKnows,
} from './rules/conversation-machine.ts';

/*
 * How conversations end, and when both sides know. Every function runs inside the caller's transaction; the
 * conversation is locked.
 */

/** The conversation with the work of its sides, which is read only when its time would be over without it. */
export async function withWork(
  db: Queryable,
  conversation: ConversationRecord,
  command: ConversationCommand,
  now: Date,
): Promise<ConversationRecord> {
  if (command.type !== 'tick' || !decideConversation(conversation, command, now).ok) return conversation;
  return { ...conversation, atWorkUntil: await new ConversationQueries(db).atWorkUntil(conversation.id) };
}

/** Applies an end to a locked conversation. Null when the rules refused it. */
export async function applyConversationEnd(
  tx: Tx,
  conversation: ConversationRecord,
  command: ConversationCommand,
  options: { now: Date; finalMessage?: string | undefined },
): Promise<ConversationChange | null> {
  const read = await withWork(tx.db, conversation, command, options.now);
  const decision = decideConversation(read, command, options.now);
  if (!decision.ok) return null;
  const { change } = decision;
  if (change.to === 'terminating' || change.to === 'ended' || change.to === 'expired')
    await saveEnding(tx, conversation, change, options);
  return change;
}

/**
 * Closes it when both sides know the end, or when a side without a session had its time (trap 2). The
 * conversation is locked.
 */
export async function settleConversation(
  tx: Tx,
  conversation: ConversationRecord,
  options: { now: Date; graceMs: number },
): Promise<boolean> {
  const knows = await whoKnows(tx, conversation);
  const command = { type: 'settle', ...knows, graceMs: options.graceMs } as const;
  if (!decideConversation(conversation, command, options.now).ok) return false;
  await setSettled(tx.db, conversation.id);
  await giveUpUnacknowledged(tx, conversation, options.now);
  await notifyConversation(tx, conversation);
  return true;
}

async function whoKnows(
  tx: Tx,
  conversation: ConversationRecord,
): Promise<{ initiator: SideKnows; participant: SideKnows }> {
  const notices = await endNotices(tx.db, conversation.id);
  const of = (agentId: string): SideKnows => {
    const notice = notices.find((one) => one.agentId === agentId);
    if (notice === undefined || notice.settled) return 'acknowledged';
    return notice.live ? 'waiting' : 'away';
  };
  return { initiator: of(conversation.initiatorAgentId), participant: of(conversation.participantAgentId) };
}

/** No session came to acknowledge it: the notice is void, and the messages that it carried stay unread. */
async function giveUpUnacknowledged(tx: Tx, conversation: ConversationRecord, now: Date): Promise<void> {
  await voidNotices(tx.db, conversation.id, now);
  const failed = await failCarried(tx.db, { threadId: conversation.id, code: 'conversation_ended', now });
  await appendMessageEvents(tx, conversation.projectId, failed);
}

async function saveEnding(
  tx: Tx,
  conversation: ConversationRecord,
  ending: ConversationEnding,
  options: { now: Date; finalMessage?: string | undefined },
): Promise<void> {
  const { now } = options;
  const endedBy =
    ending.endedBy === null
      ? null
      : ending.endedBy === 'initiator'
        ? conversation.initiatorAgentId
        : conversation.participantAgentId;
  await setEnding(tx.db, conversation, {
    state: ending.to,
    endedAt: now,
    endedBy,
    endReason: ending.reason,
    finalMessage: options.finalMessage,
  });
  await settleMessages(tx, conversation, ending, { endedBy, now });
  await writeNotices(tx, conversation, ending, { endedBy, now });
  for (const agentId of [conversation.initiatorAgentId, conversation.participantAgentId])
    await dropWakeUp(tx, { projectId: conversation.projectId, agentId }, 'conversation_ended', now);
  // Who held messages of it may be at rest now.
  await resumeFolderStarts(tx, conversation.projectId);
  await notifyConversation(tx, conversation);
}

/**
 * The messages that the ending side holds count as answered. The unanswered messages of the other side are
 * carried by its notice and offered in no other way; if they were given before, it is unknown whether they
 * arrived. Of a conversation that never began no message was read: its messages fail.
 */
async function settleMessages(
  tx: Tx,
  conversation: ConversationRecord,
  ending: ConversationEnding,
  { endedBy, now }: { endedBy: string | null; now: Date },
): Promise<void> {
  const code = ending.to === 'expired' ? 'conversation_expired' : 'conversation_ended';
  const threadId = conversation.id;
  const settled =
    ending.to === 'terminating'
      ? await settleUnanswered(tx.db, { threadId, endedBy, now })
      : await failUnanswered(tx.db, { threadId, code, now });
  await appendMessageEvents(tx, conversation.projectId, settled);
}

/**
 * Both sides are given a notice of the end. Of a conversation that never began only the initiator is, and the
 * side that ended it knows already.
 */
async function writeNotices(
  tx: Tx,
  conversation: ConversationRecord,
  ending: ConversationEnding,
  by: { endedBy: string | null; now: Date },
): Promise<void> {
  await voidNotices(tx.db, conversation.id, by.now);
  const initiator = {
    agentId: conversation.initiatorAgentId,
    sessionId: conversation.initiatorSessionId,
  };
  const participant = {
    agentId: conversation.participantAgentId,
    sessionId: conversation.participantSessionId,
  };
  const sides = ending.to === 'terminating' ? [initiator, participant] : [initiator];
  await insertEndNotices(
    tx.db,
    sides.map((side) => ({
      ...side,
      conversationId: conversation.id,
      projectId: conversation.projectId,
      kind: ending.to === 'expired' ? 'expired' : 'ended',
      createdAt: by.now,
      ...(side.agentId === by.endedBy && { offeredAt: by.now, acknowledgedAt: by.now }),
    })),
  );
}

/**
 * Removes the wake-up of an agent that was made for a conversation, unless other work waits for it, and stops what it has
 * started. The membership is locked.
 */
export async function dropWakeUp(
  tx: Tx,
  membership: MembershipKey,
  reason: 'conversation_ended' | 'superseded',
  now: Date,
): Promise<void> {
  const dropped = await new WakeUpQueries(tx.db).removeUnneededChat(membership, now);
  if (!dropped) return;
  if (dropped.runId) await requestRunStop(tx, dropped.runId, reason, now);
  if (dropped.heldFor === 'folder_in_use') await restartConversationsOf(tx.db, membership, now);
  await leaveQueue(tx, dropped);
  await appendChangeEvents(tx, [
    { kind: 'session', projectId: membership.projectId, ref: { agentId: membership.agentId } },
  ]);
}

/** The held calls of both agents check again, and so do the readers of the page. */
export async function notifyConversation(
  tx: Tx,
  conversation: Pick<ConversationRecord, 'id' | 'projectId' | 'initiatorAgentId' | 'participantAgentId'>,
): Promise<void> {
  const { id, projectId } = conversation;
  await appendChangeEvents(tx, [{ kind: 'conversation', projectId, ref: { conversationId: id } }]);
  tx.dirty(keys.membership(projectId, conversation.initiatorAgentId));
  tx.dirty(keys.membership(projectId, conversation.participantAgentId));
}
