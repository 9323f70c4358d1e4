import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import { applyConversationEnd, settleConversation } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord } from './conversation-queries.ts';
import type { ConversationTimes } from './rules/conversation-machine.ts';

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
  const found = await new ConversationQueries(deps.database.db).find(id);
  if (!found) return false;
  const times = await conversationTimes(deps);
  const graceMs = (await deps.settings.current()).conversationNoticeGraceSeconds * 1_000;
  return deps.database.transaction(async (tx) => {
    await lockBothPairs(tx, found);
    const conversation = await new ConversationQueries(tx.db).lock(id);
    if (!conversation) return false;
    const now = await tx.now();
    if (await applyConversationEnd(tx, conversation, { type: 'tick', times }, { now })) return true;
    return settleConversation(tx, conversation, { now, graceMs });
  });
}
