import { type ChatTx, storeSystemMessage } from '../chat/chat-transaction.ts';
import { ViewerQueries } from '../chat/viewer-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { chatOf, workKeyOf } from '../rules/work-key.ts';
import { isPerWork } from '../wake-ups/per-work-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { endSession } from './session-lifecycle.ts';
import type { SessionRecord } from './session-record.ts';

/*
 * An end that was taken back while it was on its way to the agent: the agent reads it and leaves, although its session is
 * active again.
 */

/** A call lasts no longer: an agent that leaves within it may have read the end. */
const OFFER_MS = 60_000;

/** The session `s` has ended so: the rule `followsOldEnd`, at its end. */
export const FOLLOWED_OLD_END_SQL = `(s.exit_action is null and s.exit_offered_at > s.ended_at - interval '${OFFER_MS} ms')`;

/** Whether the agent of this session leaves because of such an end, if it leaves now. */
export function followsOldEnd(
  { state, offeredAt }: Pick<SessionRecord, 'state' | 'offeredAt'>,
  now: Date,
): boolean {
  return state === 'active' && offeredAt !== null && now.getTime() - offeredAt.getTime() < OFFER_MS;
}

/**
 * It has left so: its session ends as one that was told to, and the agent is started again when messages wait or somebody
 * looks at its chat. Runs in the caller's transaction, with the membership and the session locked.
 */
export async function endAfterOldEnd(
  tx: ChatTx,
  deps: ServiceDeps,
  session: SessionRecord,
  now: Date,
): Promise<void> {
  await endSession(tx, session, 'ended', now);
  const membership = workKeyOf(session);
  if (session.purpose !== 'chat' || (await isPerWork(tx.db, session.agentId))) return;
  if ((await new ViewerQueries(tx.db).count(membership, now)) === 0) return;
  if (await wake(tx, chatOf(membership), { openedBy: session.openedBy, now }))
    await storeSystemMessage(tx, deps, { ...membership, code: 'session_started', visible: false });
}
