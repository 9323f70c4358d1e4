import type { ServiceDeps } from '../deps.ts';
import { lockBothMemberships } from './conversation-change-queries.ts';
import { applyConversationEnd, settleConversation, withWork } from './conversation-lifecycle.ts';
import { ConversationQueries, type ConversationRecord } from './conversation-queries.ts';
import {
  type ConversationTimes,
  decideConversation,
  isLiveConversation,
} from './rules/conversation-machine.ts';

/** Where turns have no limit, it counts as this. */
const UNLIMITED_TURN_SECONDS = 3_600;
/** Who waits in a task is in its turn, too: it has to hear of the end before its own limit. */
const BEFORE_TURN_LIMIT_MS = 60_000;

/** How long a conversation may wait to begin, and how long it may be silent. */
export async function conversationTimes(deps: Pick<ServiceDeps, 'settings'>): Promise<ConversationTimes> {
  const settings = await deps.settings.current();
  const timeoutMs = settings.conversationTimeoutSeconds * 1_000;
  const turnMs = (settings.turnTimeoutSeconds || UNLIMITED_TURN_SECONDS) * 1_000;
  return {
    pendingTimeoutMs: settings.conversationPendingTimeoutSeconds * 1_000,
    timeoutMs,
    workMs: Math.max(0, Math.min(turnMs / 2, turnMs - timeoutMs - BEFORE_TURN_LIMIT_MS)),
  };
}

async function isTimeOver(
  deps: ServiceDeps,
  found: ConversationRecord,
  times: ConversationTimes,
): Promise<boolean> {
  const tick = { type: 'tick', times } as const;
  const now = await deps.database.now();
  return decideConversation(await withWork(deps.database.db, found, tick, now), tick, now).ok;
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
  // Nothing is locked for one that is still at work on it.
  if (isLiveConversation(found.state) && !(await isTimeOver(deps, found, times))) return false;
  return deps.database.transaction(async (tx) => {
    await lockBothMemberships(tx.db, found);
    const conversation = await new ConversationQueries(tx.db).lock(id);
    if (!conversation) return false;
    const now = await tx.now();
    if (await applyConversationEnd(tx, conversation, { type: 'tick', times }, { now })) return true;
    return settleConversation(tx, conversation, { now, graceMs });
  });
}
