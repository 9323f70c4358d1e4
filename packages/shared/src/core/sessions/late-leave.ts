import { type ChatTx, storeSystemMessage } from '../chat/chat-transaction.ts';
import { ViewerQueries } from '../chat/viewer-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { chatOf, workKeyOf } from '../rules/work-key.ts';
import { isPerWork } from '../wake-ups/per-work-queries.ts';
import { wake } from '../wake-ups/wake.ts';
import { endSession } from './session-lifecycle.ts';
import type { SessionRecord } from './session-record.ts';

/**
 * The agent has left because of an end that was taken back (`followsOldEnd`): its session ends as one that was told to,
 * and the agent is started again when messages wait or somebody looks at its chat. Runs in the caller's transaction, with
 * the membership and the session locked.
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
