import type { ServiceDeps } from '../deps.ts';
import { lockBothMemberships } from './conversation-change-queries.ts';
import { applyConversationEnd, settleConversation } from './conversation-lifecycle.ts';
import { ConversationQueries } from './conversation-queries.ts';
import type { ConversationTimes } from './rules/conversation-machine.ts';

/** How long a conversation may wait to begin, and how long it may be silent. */
export async function conversationTimes(deps: Pick<ServiceDeps, 'settings'>): Promise<ConversationTimes> {
  const settings = await deps.settings.current();
  return {
    pendingTimeoutMs: settings.conversationPendingTimeoutSeconds * 1_000,
    timeoutMs: settings.conversationTimeoutSeconds * 1_000,
  };
}

/**
 * Applies the passage of time to one conversation: not begun, silent for too long, ended without a reader of
 * the notice. Every call that touches a conversation and the sweeper run this, so the result does not depend
 * on which of them comes first.
 */
export async function tickConversation(deps: ServiceDeps, id: string): Promise<boolean> {
  const found = await new ConversationQueries(deps.database.db).find(id);
  if (!found) return false;
  const times = await conversationTimes(deps);
  const graceMs = (await deps.settings.current()).conversationNoticeGraceSeconds * 1_000;
  return deps.database.transaction(async (tx) => {
    await lockBothMemberships(tx.db, found);
    const conversation = await new ConversationQueries(tx.db).lock(id);
    if (!conversation) return false;
    const now = await tx.now();
    if (await applyConversationEnd(tx, conversation, { type: 'tick', times }, { now })) return true;
    return settleConversation(tx, conversation, { now, graceMs });
  });
}
