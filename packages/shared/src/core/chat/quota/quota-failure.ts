import { appendMessageEvents } from '../../../platform/change-log/change-log.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { ServiceDeps } from '../../deps.ts';
import { noteTurnEnd } from '../../sessions/activity-queries.ts';
import { notifyMembership } from '../../sessions/notify-membership.ts';
import { applySessionCommand } from '../../sessions/session-lifecycle.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import type { SessionRecord } from '../../sessions/session-record.ts';
import { lastBatch } from '../delivery/delivery-queries.ts';
import { chatThreadId } from '../thread-id.ts';
import { ViewerQueries } from '../viewer-queries.ts';
import { byteQuota, quotaReached, quotaResumesAt } from './byte-quota.ts';
import { failHeldOfBatch } from './quota-queries.ts';

/**
 * The answer that people wait for cannot be stored in this hour: the messages of the chat that the session
 * still holds of the batch (absent: of the one given last in the chat) fail with the reason, in a transaction
 * of its own. Returns the refusal for the agent. Repeating it is safe: only messages that are still held
 * fail.
 */
export async function failHeldForQuota(
  deps: ServiceDeps,
  caller: AgentCaller,
  batchId?: string,
): Promise<AppError> {
  const failed = await deps.database.transaction(async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(caller.projectId, caller.agentId);
    const session = await sessions.lockById(caller.sessionId);
    if (!session || session.state === 'ended') return 0;
    const given =
      batchId ?? (await lastBatch(tx.db, caller, chatThreadId(caller.projectId, caller.agentId)))?.id;
    if (given === undefined) return 0;
    const now = await tx.now();
    const count = await failBatch(deps, tx, caller, given, now);
    if (count > 0) await endTurn(tx, session, now);
    return count;
  });
  return quotaReached(deps, caller, { quota: await byteQuota(deps), failed });
}

export function isQuotaReached(error: unknown): boolean {
  return error instanceof AppError && error.code === 'quota_reached';
}

async function failBatch(
  deps: ServiceDeps,
  tx: Tx,
  caller: AgentCaller,
  batchId: string,
  now: Date,
): Promise<number> {
  const resumesAt = quotaResumesAt(deps).toISOString();
  const failed = await failHeldOfBatch(tx.db, {
    batchId,
    sessionId: caller.sessionId,
    threadId: chatThreadId(caller.projectId, caller.agentId),
    failure: { code: 'quota_reached', params: { resumesAt } },
    now,
  });
  await appendMessageEvents(tx, caller.projectId, failed);
  return failed.length;
}

/** As after an answer: an interrupt is no longer wanted, and a close that had to wait takes effect. */
async function endTurn(tx: Tx, session: SessionRecord, now: Date): Promise<void> {
  await noteTurnEnd(tx.db, session.id, now);
  const work = await new SessionQueries(tx.db).work(session.id);
  const viewersLeft = await new ViewerQueries(tx.db).count(session, now);
  await applySessionCommand(tx, session, { type: 'settle_close', viewersLeft, work }, now);
  await notifyMembership(tx, session);
}
