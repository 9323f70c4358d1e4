import { sql } from 'kysely';
import { appendFacts, tellMessages } from '../../platform/changes/change-log.ts';
import { keys } from '../../platform/changes/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { requestRunStop } from '../runs/run-stop.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import type { ConversationRecord } from './conversation-queries.ts';
import {
  type ConversationChange,
  type ConversationCommand,
  type ConversationEnding,
  decideConversation,
  type SideKnows,
} from './rules/conversation-machine.ts';

/*
 * How conversations end, and when everybody knows. Every function runs inside the caller's transaction; the
 * conversation is locked.
 */

type Pair = { readonly projectId: string; readonly agentId: string };

/** Applies an end to a locked conversation. Null when the rules refused it. */
export async function applyConversationEnd(
  tx: Tx,
  conversation: ConversationRecord,
  command: ConversationCommand,
  options: { now: Date; finalMessage?: string | undefined },
): Promise<ConversationChange | null> {
  const decision = decideConversation(conversation, command, options.now);
  if (!decision.ok) return null;
  const { change } = decision;
  if (change.to === 'terminating' || change.to === 'ended' || change.to === 'expired')
    await saveEnding(tx, conversation, change, options);
  return change;
}

/** Over, once both sides know, or a side without a session had its time (trap 2). The conversation is locked. */
export async function settleConversation(
  tx: Tx,
  conversation: ConversationRecord,
  options: { now: Date; graceMs: number },
): Promise<boolean> {
  const knows = await whoKnows(tx, conversation);
  const command = { type: 'settle', ...knows, graceMs: options.graceMs } as const;
  if (!decideConversation(conversation, command, options.now).ok) return false;
  await tx.db
    .updateTable('conversations')
    .set({ state: 'ended' })
    .where('id', '=', conversation.id)
    .where('state', '=', 'terminating')
    .execute();
  await giveUpUntold(tx, conversation, options.now);
  await tellConversation(tx, conversation);
  return true;
}

async function whoKnows(
  tx: Tx,
  conversation: ConversationRecord,
): Promise<{ initiator: SideKnows; participant: SideKnows }> {
  const { rows } = await sql<{ agentId: string; told: boolean; live: boolean }>`
    select n.agent_id, n.told_at is not null or n.gone_at is not null as told,
      exists (select from agent_sessions s where s.id = n.session_id and s.state <> 'ended') as live
    from conversation_notices n
    where n.conversation_id = ${conversation.id} and n.kind in ('ended', 'expired')`.execute(tx.db);
  const of = (agentId: string): SideKnows => {
    const notice = rows.find((row) => row.agentId === agentId);
    if (notice === undefined || notice.told) return 'told';
    return notice.live ? 'waiting' : 'away';
  };
  return { initiator: of(conversation.initiatorAgentId), participant: of(conversation.participantAgentId) };
}

/** Nobody came to hear it: the notice is void, what it would have carried was never read. */
async function giveUpUntold(tx: Tx, conversation: ConversationRecord, now: Date): Promise<void> {
  await voidNotices(tx, conversation, now);
  const failure = JSON.stringify({ code: 'conversation_ended', params: {} });
  const { rows } = await sql<{ id: string }>`
    update chat_messages set state = 'failed', failure = ${failure}::jsonb, failed_at = ${now}, deliver_to = receiver_id
    where thread_id = ${conversation.id} and state = 'stored'
    returning id`.execute(tx.db);
  await tellMessages(tx, conversation.projectId, rows);
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
  await tx.db
    .updateTable('conversations')
    .set({
      state: ending.to,
      endedAt: now,
      endedBy,
      endReason: ending.reason,
      ...(options.finalMessage !== undefined && { finalMessage: options.finalMessage }),
    })
    .where('id', '=', conversation.id)
    .where('state', '=', conversation.state)
    .execute();
  await settleMessages(tx, conversation, ending, { endedBy, now });
  await writeNotices(tx, conversation, ending, { endedBy, now });
  for (const agentId of [conversation.initiatorAgentId, conversation.participantAgentId])
    await dropWakeUp(tx, { projectId: conversation.projectId, agentId }, now);
  await tellConversation(tx, conversation);
}

/**
 * What whoever ends it holds counts as answered by that. What the other side has not answered is carried by its notice
 * and offered no other way; whether it arrived when it was given before, nobody knows. Of one that never began nothing
 * was read: its messages are failed.
 */
async function settleMessages(
  tx: Tx,
  conversation: ConversationRecord,
  ending: ConversationEnding,
  { endedBy, now }: { endedBy: string | null; now: Date },
): Promise<void> {
  const code = ending.to === 'expired' ? 'conversation_expired' : 'conversation_ended';
  const failure = JSON.stringify({ code, params: {} });
  const { rows } =
    ending.to === 'terminating'
      ? await sql<{ id: string }>`
          update chat_messages m set
            state = case when read.was then 'answered' else 'stored' end,
            answered_at = case when read.was then ${now}::timestamptz end, no_reply = read.was,
            deliver_to = case when read.was then m.deliver_to end,
            delivered_session_id = case when read.was then m.delivered_session_id end,
            delivered_at = case when read.was then m.delivered_at end
          from (select id, state = 'delivered' and receiver_id is not distinct from ${endedBy}::text as was from chat_messages
            where thread_id = ${conversation.id} and state in ('stored', 'delivered') for update) read
          where m.id = read.id
          returning m.id`.execute(tx.db)
      : await sql<{ id: string }>`
          update chat_messages set state = 'failed', failure = ${failure}::jsonb, failed_at = ${now},
            delivered_session_id = null
          where thread_id = ${conversation.id} and state in ('stored', 'delivered')
          returning id`.execute(tx.db);
  await tellMessages(tx, conversation.projectId, rows);
}

/** Both sides hear of an end; of one that never began only the initiator, and whoever ended it knows. */
async function writeNotices(
  tx: Tx,
  conversation: ConversationRecord,
  ending: ConversationEnding,
  by: { endedBy: string | null; now: Date },
): Promise<void> {
  await voidNotices(tx, conversation, by.now);
  const initiator = {
    agentId: conversation.initiatorAgentId,
    sessionId: conversation.initiatorSessionId,
  };
  const participant = {
    agentId: conversation.participantAgentId,
    sessionId: conversation.participantSessionId,
  };
  const sides = ending.to === 'terminating' ? [initiator, participant] : [initiator];
  await tx.db
    .insertInto('conversationNotices')
    .values(
      sides.map((side) => ({
        ...side,
        conversationId: conversation.id,
        projectId: conversation.projectId,
        kind: ending.to === 'expired' ? 'expired' : 'ended',
        createdAt: by.now,
        ...(side.agentId === by.endedBy && { offeredAt: by.now, toldAt: by.now }),
      })),
    )
    .execute();
}

/** What is not told by now never is. */
async function voidNotices(tx: Tx, conversation: ConversationRecord, now: Date): Promise<void> {
  await tx.db
    .updateTable('conversationNotices')
    .set({ goneAt: now })
    .where('conversationId', '=', conversation.id)
    .where('toldAt', 'is', null)
    .where('goneAt', 'is', null)
    .execute();
}

/** A wake-up that was made for a conversation goes with it, unless something else waits for it. */
async function dropWakeUp(tx: Tx, pair: Pair, now: Date): Promise<void> {
  const dropped = await new WakeUpQueries(tx.db).removeUnneeded({ ...pair, now });
  if (dropped?.runId) await requestRunStop(tx, dropped.runId, 'conversation_ended', now);
  if (dropped)
    await appendFacts(tx, [{ kind: 'session', projectId: pair.projectId, ref: { agentId: pair.agentId } }]);
}

/** Both agents' held calls look again, and the readers of the page. */
export async function tellConversation(
  tx: Tx,
  conversation: Pick<ConversationRecord, 'id' | 'projectId' | 'initiatorAgentId' | 'participantAgentId'>,
): Promise<void> {
  const { id, projectId } = conversation;
  await appendFacts(tx, [{ kind: 'conversation', projectId, ref: { conversationId: id } }]);
  tx.dirty(keys.pair(projectId, conversation.initiatorAgentId));
  tx.dirty(keys.pair(projectId, conversation.participantAgentId));
}
