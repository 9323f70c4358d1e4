import { appendMessageEvents } from '../../../platform/change-log/change-log.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { cancelCardsOfSession } from '../../cards/card-ends.ts';
import type { ServiceDeps } from '../../deps.ts';
import { type KeptResult, keepResult, keptResult } from '../../idempotency/idempotent-results.ts';
import { noteActivity } from '../../sessions/activity-queries.ts';
import { SessionQueries } from '../../sessions/session-queries.ts';
import { type CountedUsage, countUsage } from '../../usage/usage-queries.ts';
import { type ChatTx, chatTransaction, storeSystemMessage } from '../chat-transaction.ts';
import { finishGrowth } from '../steps/growing-answer-queries.ts';
import { chatThreadId } from '../thread-id.ts';
import { requireOpen } from './agent-input.ts';
import { requireBatch } from './delivery-batches.ts';
import { lastBatch } from './delivery-queries.ts';
import { endTurn } from './end-turn.ts';
import { failHeldOfBatch } from './redelivery-queries.ts';

export interface TurnFailure {
  /** Why there is no answer, and what the person can do; without secrets. */
  readonly reason: string;
  /** Absent: the batch that was given last in the chat. */
  readonly batchId: string | undefined;
  /** What was shown under this id is discarded. */
  readonly messageId: string | undefined;
  readonly counted: CountedUsage | undefined;
  readonly idempotencyKey: string | undefined;
}

/**
 * The agent has tried and has no answer for people: what the session still holds of the batch fails, the reason is one
 * line in the chat, and a person can send the messages again; cards that it left open are cancelled. Repeating it is safe: only
 * messages that are still held fail, and without one there is no line. @throws AppError invalid_input for the batch of a
 * conversation: its partner is told by a message.
 */
export async function failTurn(
  deps: ServiceDeps,
  caller: AgentCaller,
  failure: TurnFailure,
): Promise<KeptResult> {
  return chatTransaction(deps, async (tx) => {
    const sessions = new SessionQueries(tx.db);
    await sessions.lockMembership(caller.projectId, caller.agentId);
    const session = requireOpen(await sessions.lockById(caller.sessionId));
    const call = { tool: 'respond_chat', key: failure.idempotencyKey } as const;
    const first = await keptResult(tx.db, caller, call);
    if (first) return first;
    const now = await tx.now();
    await discardShown(tx, caller, failure);
    const failed = await failBatch(tx, caller, failure, now);
    const { counted, idempotencyKey } = failure;
    // Without a key the same call may come again.
    if (counted && (failed > 0 || idempotencyKey !== undefined))
      await countUsage(tx.db, { ...caller, isMessage: false }, counted);
    if (failed > 0) {
      const { projectId, agentId } = caller;
      const params = { reason: failure.reason };
      await storeSystemMessage(tx, deps, { projectId, agentId, code: 'turn_failed', params, visible: true });
      // Without a message it works on nothing: whoever decided would decide for nobody.
      if (!(await sessions.work(session.id)).held)
        await cancelCardsOfSession(tx, session.id, 'turn_failed', now);
      await endTurn(tx, session, now);
    } else await noteActivity(tx.db, session.id, now);
    const result = { messageId: null, answered: 0, failed };
    await keepResult(tx, caller, call, result);
    return result;
  });
}

async function discardShown(tx: ChatTx, caller: AgentCaller, { messageId }: TurnFailure): Promise<void> {
  const { projectId, agentId } = caller;
  if (messageId !== undefined) await finishGrowth(tx.db, { projectId, agentId, messageId, isMessage: false });
}

async function failBatch(
  tx: ChatTx,
  caller: AgentCaller,
  { batchId, reason }: TurnFailure,
  now: Date,
): Promise<number> {
  const threadId = chatThreadId(caller.projectId, caller.agentId);
  const batch =
    batchId === undefined
      ? await lastBatch(tx.db, caller, threadId)
      : await requireBatch(tx.db, caller, batchId);
  if (!batch) return 0;
  if (batch.threadId !== threadId)
    throw new AppError(
      'invalid_input',
      'failure is for the chat with people. Tell the agent of this conversation with content.',
    );
  const failure = { code: 'turn_failed', params: { reason } };
  const { sessionId } = caller;
  const failed = await failHeldOfBatch(tx.db, { batchId: batch.id, sessionId, threadId, failure, now });
  await appendMessageEvents(tx, caller.projectId, failed);
  return failed.length;
}
