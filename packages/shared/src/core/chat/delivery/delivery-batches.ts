import type { Queryable } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { KeptResult } from '../../idempotency/idempotent-results.ts';
import { answerToBatch, type DeliveryBatch, findBatch } from './delivery-queries.ts';

/*
 * The batches of get_pending_messages, and the answer that named each. A batch
 * belongs to the session that was given it: the agent's next session gets a new batch.
 */

/** The batch with this id. @throws AppError batch_not_found: the session was not given this batch. */
export async function requireBatch(db: Queryable, caller: AgentCaller, id: string): Promise<DeliveryBatch> {
  const batch = await findBatch(db, caller.sessionId, id);
  if (!batch)
    throw new AppError(
      'batch_not_found',
      'This session was given no batch with this id. Call get_pending_messages: what is unanswered comes again.',
    );
  return batch;
}

/**
 * The first answer to a batch, when it had the same text: the response of the first call was lost, and the
 * agent repeats it. Null: not answered yet, or with another text.
 */
export async function sameAnswer(
  db: Queryable,
  batch: DeliveryBatch,
  content: string | null,
): Promise<KeptResult | null> {
  if (batch.answeredAt === null || (batch.answerId === null) !== (content === null)) return null;
  const row = await answerToBatch(db, batch);
  return row?.content === content ? { messageId: batch.answerId, answered: row.answered } : null;
}
