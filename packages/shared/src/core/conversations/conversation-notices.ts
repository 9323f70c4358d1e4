import { sql } from 'kysely';
import type { Message } from '../../contract/chat.ts';
import { appendFacts } from '../../platform/changes/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { MESSAGE_COLUMNS, MESSAGE_SENDER_JOIN, type MessageRow, toMessage } from '../chat/message-rows.ts';
import type { ServiceDeps } from '../deps.ts';
import type { ConversationNotice } from '../sessions/rules/next-action.ts';
import { lockBothPairs } from './conversation-deadlines.ts';
import { settleConversation } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord, partnerOf } from './conversation-queries.ts';

/** What an agent hears of a conversation. */
export interface OfferedNotice {
  readonly conversation: ConversationRecord;
  readonly partnerId: string;
  readonly partnerName: string;
  readonly resumed: boolean;
  /** It may have been told before: the earlier answer was not seen to arrive. */
  readonly repeat: boolean;
  /** ended: what this agent had not read. expired: what its partner never read. */
  readonly messages: readonly Message[];
}

/**
 * Remembers that a notice is about to be told, before the response is written. Null when it is told, void or another
 * session's by now.
 */
export async function offerNotice(
  deps: ServiceDeps,
  caller: AgentCaller,
  notice: ConversationNotice,
): Promise<OfferedNotice | null> {
  return deps.database.transaction(async (tx) => {
    const conversation = await new ConversationQueries(tx.db).lock(notice.conversationId);
    if (!conversation) return null;
    const now = await tx.now();
    const { rows } = await sql<{ resumed: boolean; repeat: boolean }>`
      update conversation_notices n set session_id = ${caller.sessionId},
        offered_at = coalesce(n.offered_at, ${now}::timestamptz)
      from (select offered_at from conversation_notices where conversation_id = ${conversation.id}
        and agent_id = ${caller.agentId} and kind = ${notice.kind} for update) old
      where n.conversation_id = ${conversation.id} and n.agent_id = ${caller.agentId} and n.kind = ${notice.kind}
        and n.told_at is null and n.gone_at is null
        and (n.session_id = ${caller.sessionId} or n.session_id is null)
      returning n.resumed, old.offered_at is not null as repeat`.execute(tx.db);
    const [row] = rows;
    if (!row) return null;
    const partnerId = partnerOf(conversation, caller.agentId);
    return {
      ...row,
      conversation,
      partnerId,
      partnerName: await nameOf(tx.db, partnerId),
      messages: await carriedMessages(tx.db, caller, conversation, notice.kind),
    };
  });
}

/** The response that carried the notice was written to a live connection. Idempotent. */
export async function noticeTold(
  deps: ServiceDeps,
  caller: AgentCaller,
  notice: ConversationNotice,
): Promise<void> {
  const found = await new ConversationQueries(deps.database.db).find(notice.conversationId);
  if (!found) return;
  await deps.database.transaction(async (tx) => {
    await lockBothPairs(tx, found);
    const conversation = await new ConversationQueries(tx.db).lock(found.id);
    if (!conversation) return;
    const now = await tx.now();
    await markNoticeTold(deps, tx, caller, conversation, { kind: notice.kind, now });
  });
}

/** The agent knows: what the notice carried is read, and when both know, the conversation is over. */
export async function markNoticeTold(
  deps: ServiceDeps,
  tx: Tx,
  caller: AgentCaller,
  conversation: ConversationRecord,
  notice: { kind: ConversationNotice['kind']; now: Date },
): Promise<void> {
  const told = await tx.db
    .updateTable('conversationNotices')
    .set(({ fn, val }) => ({
      toldAt: notice.now,
      offeredAt: fn.coalesce('offeredAt', val(notice.now)),
      sessionId: caller.sessionId,
    }))
    .where('conversationId', '=', conversation.id)
    .where('agentId', '=', caller.agentId)
    .where('kind', '=', notice.kind)
    .where('toldAt', 'is', null)
    .where('goneAt', 'is', null)
    // What is another session's by now, that one must hear; and who is gone hears nothing any more.
    .where((eb) => eb.or([eb('sessionId', '=', caller.sessionId), eb('sessionId', 'is', null)]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('agentSessions')
          .where('id', '=', caller.sessionId)
          .where('state', '<>', 'ended')
          .select('id'),
      ),
    )
    .executeTakeFirst();
  if (Number(told.numUpdatedRows) === 0 || notice.kind === 'request') return;
  const { rows } = await sql<{ id: string }>`
    update chat_messages set state = 'answered', answered_at = ${notice.now}, no_reply = true,
      deliver_to = receiver_id
    where thread_id = ${conversation.id} and receiver_id = ${caller.agentId} and state = 'stored'
    returning id`.execute(tx.db);
  const { projectId } = conversation;
  await appendFacts(
    tx,
    rows.map(({ id }) => ({ kind: 'message', projectId, ref: { messageId: id } }) as const),
  );
  const graceMs = (await deps.settings.current()).conversationNoticeGraceSeconds * 1_000;
  await settleConversation(tx, conversation, { now: notice.now, graceMs });
}

async function carriedMessages(
  db: Queryable,
  caller: AgentCaller,
  conversation: ConversationRecord,
  kind: ConversationNotice['kind'],
): Promise<Message[]> {
  if (kind === 'request') return [];
  const which =
    kind === 'expired'
      ? sql`m.sender_id = ${caller.agentId} and m.state = 'failed'`
      : sql`m.receiver_id = ${caller.agentId} and m.state = 'stored'`;
  const { rows } = await sql<MessageRow & { batch_id: string | null }>`
    select ${sql.raw(MESSAGE_COLUMNS)}, m.batch_id from chat_messages m ${sql.raw(MESSAGE_SENDER_JOIN)}
    where m.thread_id = ${conversation.id} and ${which} order by m.seq`.execute(db.withoutPlugins());
  // In a batch it was given before, and it was not answered.
  const isRepeat = (row: { batch_id: string | null }) => kind === 'ended' && row.batch_id !== null;
  return rows.map((row) => ({ ...toMessage(row), ...(isRepeat(row) && { repeat: true as const }) }));
}

async function nameOf(db: Queryable, agentId: string): Promise<string> {
  const row = await db.selectFrom('agents').select('name').where('id', '=', agentId).executeTakeFirst();
  return row?.name ?? agentId;
}
