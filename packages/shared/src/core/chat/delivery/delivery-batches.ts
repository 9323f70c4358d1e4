import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import { MAX_BATCH_OFFERS } from '../../sessions/rules/next-action.ts';
import type { KeptResult } from './idempotent-results.ts';

/*
 * What one get_pending_messages gave, and which answer named it (contract §5 "Receipts"). A batch belongs to the
 * session that was given it: the agent's next session is given the messages anew.
 */

export interface DeliveryBatch {
  readonly id: string;
  /** The chat with people, or the conversation. */
  readonly threadId: string;
  readonly messageIds: readonly string[];
  readonly answeredAt: Date | null;
  /** null: not answered, or read without an answer. */
  readonly answerId: string | null;
}

/** The batch of this id. @throws AppError batch_not_found: this session was given none. */
export async function requireBatch(db: Queryable, caller: AgentCaller, id: string): Promise<DeliveryBatch> {
  const batch = await db
    .selectFrom('deliveryBatches')
    .select(['id', 'threadId', 'messageIds', 'answeredAt', 'answerId'])
    .where('id', '=', id)
    .where('sessionId', '=', caller.sessionId)
    .executeTakeFirst();
  if (!batch)
    throw new AppError(
      'batch_not_found',
      'This session was given no batch with this id. Call get_pending_messages: what is unanswered comes again.',
    );
  return batch;
}

/** The batch that the session was given last of a source. */
export async function lastBatch(
  db: Queryable,
  caller: Pick<AgentCaller, 'sessionId'>,
  threadId: string,
): Promise<DeliveryBatch | null> {
  const batch = await db
    .selectFrom('deliveryBatches')
    .select(['id', 'threadId', 'messageIds', 'answeredAt', 'answerId'])
    .where('sessionId', '=', caller.sessionId)
    .where('threadId', '=', threadId)
    .orderBy('givenAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return batch ?? null;
}

/**
 * The first answer to a batch, when it had the same words: the response of the first call was lost, and the agent
 * says it again. Null: not answered yet, or with other words.
 */
export async function sameAnswer(
  db: Queryable,
  batch: DeliveryBatch,
  content: string | null,
): Promise<KeptResult | null> {
  if (batch.answeredAt === null || (batch.answerId === null) !== (content === null)) return null;
  const { rows } = await sql<{ content: string | null; answered: number }>`
    select (select content from chat_messages where id = ${batch.answerId}) as content,
      (select count(*)::int from chat_messages
        where id = any(${batch.messageIds}::text[]) and batch_id = ${batch.id} and state = 'answered') as answered`.execute(
    db,
  );
  const [row] = rows;
  return row?.content === content ? { messageId: batch.answerId, answered: row.answered } : null;
}

/**
 * One more time that the session was told to fetch again what it holds: the batch that was given longest ago counts.
 * Not idempotent.
 */
export async function countOffer(db: Queryable, sessionId: string): Promise<void> {
  await sql`update delivery_batches set offers = offers + 1 where id = (
    select b.id from chat_messages m join delivery_batches b on b.id = m.batch_id
    where m.delivered_session_id = ${sessionId} and m.state = 'delivered' and b.offers < ${MAX_BATCH_OFFERS}
    order by b.given_at limit 1)`.execute(db);
}
