import { appendMessageEvents } from '../../platform/change-log/change-log.ts';
import { type ChatTx, chatTransaction, storeSystemMessage } from '../chat/chat-transaction.ts';
import { failStored } from '../chat/delivery/redelivery-queries.ts';
import { lastSystemParams } from '../chat/thread-queries.ts';
import { applyConversationEnd } from '../conversations/conversation-lifecycle.ts';
import { ConversationQueries } from '../conversations/conversation-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { chatOf, type MembershipKey } from '../rules/work-key.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { findReachedLimit, type ReachedLimit } from '../usage/daily-limit-queries.ts';
import { clockTime } from '../usage/rules/local-day.ts';
import { conversationsWaitingFor } from './over-limit-queries.ts';
import { leaveQueue } from './start-queue.ts';
import { WakeUpQueries } from './wake-up-queries.ts';

/**
 * Refuses what waits for an agent that has used its tokens of today: messages of people fail with the reason, which is
 * said once in the chat; its wake-up goes; conversations that wait for it end. What a session holds already is not
 * touched: a running turn is not cut. False: the limit is not reached, or nothing waits; so of two calls at once the
 * second does nothing.
 */
export async function refuseOverLimit(
  deps: Pick<ServiceDeps, 'database' | 'transcripts' | 'config'>,
  membership: MembershipKey,
): Promise<boolean> {
  return chatTransaction(deps, async (tx) => {
    if (!(await new SessionQueries(tx.db).lockMembership(membership.projectId, membership.agentId)))
      return false;
    const now = await tx.now();
    const reached = await findReachedLimit(tx.db, membership.agentId, now);
    if (!reached) return false;
    const opened = await removeWakeUp(tx, membership, now);
    const ended = await endConversations(tx, membership, now);
    const failure = { code: 'usage_limit', params: paramsOf(deps, reached) } as const;
    const failed = await failStored(tx.db, membership, failure, now);
    await appendMessageEvents(tx, membership.projectId, failed);
    if (failed.length > 0 || opened === 'by_person') await say(tx, deps, membership, reached);
    const isAny = opened !== null || ended > 0 || failed.length > 0;
    if (isAny) await notifyMembership(tx, membership);
    return isAny;
  });
}

/** Null: there was none, or its process is being started already: that one will be given nothing. */
async function removeWakeUp(
  tx: ChatTx,
  membership: MembershipKey,
  now: Date,
): Promise<'by_person' | 'by_work' | null> {
  const wakeUps = new WakeUpQueries(tx.db);
  const row = await wakeUps.lock(chatOf(membership));
  if (row === null || row.startedAt !== null) return null;
  await wakeUps.remove({ ...row, outcome: 'expired', now });
  await leaveQueue(tx, row);
  return row.openedBy === null ? 'by_work' : 'by_person';
}

async function endConversations(tx: ChatTx, membership: MembershipKey, now: Date): Promise<number> {
  const conversations = new ConversationQueries(tx.db);
  let ended = 0;
  for (const id of await conversationsWaitingFor(tx.db, membership)) {
    const conversation = await conversations.lock(id);
    if (conversation && (await applyConversationEnd(tx, conversation, { type: 'over_limit' }, { now })))
      ended += 1;
  }
  return ended;
}

/** Opening the chat again and again does not say it again. */
async function say(
  tx: ChatTx,
  deps: Pick<ServiceDeps, 'config'>,
  membership: MembershipKey,
  reached: ReachedLimit,
): Promise<void> {
  const params = paramsOf(deps, reached);
  const last = await lastSystemParams(tx.db, membership);
  if (last?.resumesAt === params.resumesAt && last.limit === params.limit) return;
  await storeSystemMessage(tx, deps, { ...membership, code: 'usage_limit', params, visible: true });
}

function paramsOf({ config }: Pick<ServiceDeps, 'config'>, { limit, endsAt }: ReachedLimit) {
  const { timeZone } = config;
  return { limit, resumesAt: endsAt.toISOString(), until: clockTime(endsAt, timeZone), timeZone };
}
