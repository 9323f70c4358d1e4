import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import {
  type ConversationRecord,
  ConversationRepository,
} from '../db/repositories/conversation-repository.ts';
import type { ConversationTimes } from '../domain/conversation/conversation-machine.ts';
import { applyConversationEnd, settleConversation } from './conversation-lifecycle.ts';
import type { ServiceDeps } from './deps.ts';
import { nowIn } from './session-lifecycle.ts';

/** How long a conversation may wait to begin, and be silent. */
export async function conversationTimes(deps: Pick<ServiceDeps, 'settings'>): Promise<ConversationTimes> {
  const settings = await deps.settings.current();
  return {
    pendingTimeoutMs: settings.conversationPendingTimeoutSeconds * 1_000,
    timeoutMs: settings.conversationTimeoutSeconds * 1_000,
  };
}

/** Locks the pairs of both agents, always in one order: whatever both sides do to a conversation is one after the other. Returns how many are members. */
export async function lockBothPairs(
  tx: Tx,
  conversation: Pick<ConversationRecord, 'projectId' | 'initiatorAgentId' | 'participantAgentId'>,
): Promise<number> {
  const { rows } = await sql`select agent_id from project_agents where project_id = ${conversation.projectId}
      and agent_id in (${conversation.initiatorAgentId}, ${conversation.participantAgentId})
    order by agent_id for update`.execute(tx.db);
  return rows.length;
}

/**
 * What time does to one conversation: not begun, silent for too long, ended with nobody left to tell. Every call that
 * touches a conversation and the sweeper come through here, so nothing depends on who looks first.
 */
export async function tickConversation(deps: ServiceDeps, id: string): Promise<boolean> {
  const found = await new ConversationRepository(deps.database.db).find(id);
  if (!found) return false;
  const times = await conversationTimes(deps);
  const graceMs = (await deps.settings.current()).conversationNoticeGraceSeconds * 1_000;
  return deps.database.transaction(async (tx) => {
    await lockBothPairs(tx, found);
    const conversation = await new ConversationRepository(tx.db).lock(id);
    if (!conversation) return false;
    const now = await nowIn(tx, deps.clock);
    if (await applyConversationEnd(tx, conversation, { type: 'tick', times }, { now })) return true;
    return settleConversation(tx, conversation, { now, graceMs });
  });
}

/** Conversations whose time may be over, for the sweeper; the lock and the rule decide. */
export async function tickConversations(deps: ServiceDeps): Promise<number> {
  const times = await conversationTimes(deps);
  const graceMs = (await deps.settings.current()).conversationNoticeGraceSeconds * 1_000;
  const now = deps.clock.now().getTime();
  const { rows } = await sql<{ id: string }>`
    select id from conversations
    where (state = 'pending' and created_at <= ${new Date(now - times.pendingTimeoutMs)})
      or (state = 'active' and last_activity_at <= ${new Date(now - times.timeoutMs)})
      or (state = 'terminating' and ended_at <= ${new Date(now - graceMs)})
      or (state = 'terminating' and not exists (select from conversation_notices n
        where n.conversation_id = conversations.id and n.told_at is null and n.gone_at is null))
    limit 200`.execute(deps.database.db);
  let count = 0;
  for (const { id } of rows) if (await tickConversation(deps, id)) count += 1;
  return count;
}
