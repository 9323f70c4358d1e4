import { appendMessageEvents } from '../../../platform/change-log/change-log.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { ServiceDeps } from '../../deps.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import { lastBatch } from '../delivery/delivery-queries.ts';
import { endTurn } from '../delivery/end-turn.ts';
import { failHeldOfBatch } from '../delivery/redelivery-queries.ts';
import { chatThreadId } from '../thread-id.ts';
import { byteQuota, quotaReached, quotaResumesAt } from './byte-quota.ts';

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
