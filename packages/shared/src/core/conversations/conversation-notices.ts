import type { Message } from '../../contract/chat.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { agentName } from '../access/name-queries.ts';
import { toMessage } from '../chat/message-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import type { ConversationNotice } from '../sessions/rules/next-action.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { lockBothMemberships } from './conversation-change-queries.ts';
import { settleConversation } from './conversation-lifecycle.ts';
import { answerCarried, carriedRows } from './conversation-message-queries.ts';
import { ConversationQueries, type ConversationRecord, partnerOf } from './conversation-queries.ts';
import { offerNoticeTo, setNoticeAcknowledged } from './notice-queries.ts';

/** The notices of an agent about its conversations. */
export interface OfferedNotice {
  readonly conversation: ConversationRecord;
  readonly partnerId: string;
  readonly partnerName: string;
  readonly resumed: boolean;
  /** It may have been offered before: that answer was not acknowledged. */
  readonly repeat: boolean;
  /** ended: the messages that this agent had not read. expired: the messages that its partner never read. */
  readonly messages: readonly Message[];
}

/**
 * Records that a notice is about to be offered, before the response is written. Null when it is acknowledged,
 * void or another session's by now, or the session is over.
 */
export async function offerNotice(
  deps: ServiceDeps,
  caller: AgentCaller,
  notice: ConversationNotice,
): Promise<OfferedNotice | null> {
  return deps.database.transaction(async (tx) => {
    // Under this lock the session does not end: what is offered to it cannot have been left to its successor.
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(caller.projectId, caller.agentId);
    const session = await sessions.findById(caller.sessionId);
    if (!session || session.state === 'ended') return null;
    const conversation = await new ConversationQueries(tx.db).lock(notice.conversationId);
    if (!conversation) return null;
    const now = await tx.now();
    const key = { conversationId: conversation.id, agentId: caller.agentId, kind: notice.kind };
    const offered = await offerNoticeTo(tx.db, caller.sessionId, key, now);
    if (!offered) return null;
    const partnerId = partnerOf(conversation, caller.agentId);
    return {
      ...offered,
      conversation,
      partnerId,
      partnerName: await agentName(tx.db, partnerId),
      messages: await carriedMessages(tx.db, caller, conversation, {
        kind: notice.kind,
        repeat: offered.repeat,
      }),
    };
  });
}

/** The response that carried the notice was written to a live connection. Idempotent. */
export async function noticeAcknowledged(
  deps: ServiceDeps,
  caller: AgentCaller,
  notice: ConversationNotice,
): Promise<void> {
  const found = await new ConversationQueries(deps.database.db).find(notice.conversationId);
  if (!found) return;
  await deps.database.transaction(async (tx) => {
    await lockBothMemberships(tx.db, found);
    const conversation = await new ConversationQueries(tx.db).lock(found.id);
    if (!conversation) return;
    const now = await tx.now();
    await markNoticeAcknowledged(deps, tx, caller, conversation, { kind: notice.kind, now });
  });
}

/**
 * The agent has acknowledged it: the messages of the notice are read, and when both sides know, the
 * conversation is over.
 */
export async function markNoticeAcknowledged(
  deps: ServiceDeps,
  tx: Tx,
  caller: AgentCaller,
  conversation: ConversationRecord,
  notice: { kind: ConversationNotice['kind']; now: Date },
): Promise<void> {
  const { kind, now } = notice;
  const key = { conversationId: conversation.id, agentId: caller.agentId, kind };
  if (!(await setNoticeAcknowledged(tx.db, caller.sessionId, key, now)) || kind === 'request') return;
  const carried = { threadId: conversation.id, receiverId: caller.agentId, now };
  const read = await answerCarried(tx.db, carried);
  const { projectId } = conversation;
  await appendChangeEvents(
    tx,
    read.map(({ id }) => ({ kind: 'message', projectId, ref: { messageId: id } }) as const),
  );
  const graceMs = (await deps.settings.current()).conversationNoticeGraceSeconds * 1_000;
  await settleConversation(tx, conversation, { now, graceMs });
}

/**
 * The agent has ended the conversation itself, after its partner: it knows the end. A notice that carries messages or a
 * last word is left to be offered, because the response of its call carries neither.
 */
export async function markEndKnown(
  deps: ServiceDeps,
  tx: Tx,
  caller: AgentCaller,
  conversation: ConversationRecord,
  notice: { kind: 'ended' | 'expired'; now: Date },
): Promise<void> {
  if (conversation.finalMessage !== null && conversation.endedBy !== caller.agentId) return;
  const { kind } = notice;
  const carried = await carriedRows(tx.db, { threadId: conversation.id, agentId: caller.agentId, kind });
  if (carried.length === 0) await markNoticeAcknowledged(deps, tx, caller, conversation, notice);
}

/** `repeat`: of the notice. */
async function carriedMessages(
  db: Queryable,
  caller: AgentCaller,
  conversation: ConversationRecord,
  { kind, repeat }: { kind: ConversationNotice['kind']; repeat: boolean },
): Promise<Message[]> {
  if (kind === 'request') return [];
  const rows = await carriedRows(db, { threadId: conversation.id, agentId: caller.agentId, kind });
  // It was given before: by this notice, or in a batch, and it was not answered.
  const isRepeat = (row: { batch_id: string | null }) =>
    kind === 'ended' && (repeat || row.batch_id !== null);
  return rows.map((row) => ({ ...toMessage(row), ...(isRepeat(row) && { repeat: true as const }) }));
}
