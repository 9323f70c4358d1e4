import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import { MAX_BATCH_OFFERS } from '../../sessions/rules/next-action.ts';

/** The messages that one get_pending_messages gave. */
export interface DeliveryBatch {
  readonly id: string;
  /** The chat with people, or the conversation. */
  readonly threadId: string;
  readonly messageIds: readonly string[];
  readonly answeredAt: Date | null;
  /** null: not answered, or read without an answer. */
  readonly answerId: string | null;
}

const BATCH_COLUMNS = ['id', 'threadId', 'messageIds', 'answeredAt', 'answerId'] as const;

/** Undefined: the session was not given this batch. */
export function findBatch(db: Queryable, sessionId: string, id: string): Promise<DeliveryBatch | undefined> {
  return db
    .selectFrom('deliveryBatches')
    .select(BATCH_COLUMNS)
    .where('id', '=', id)
    .where('sessionId', '=', sessionId)
    .executeTakeFirst();
}

/** The last batch of a source that the session was given. */
export async function lastBatch(
  db: Queryable,
  { sessionId }: { readonly sessionId: string },
  threadId: string,
): Promise<DeliveryBatch | null> {
  const batch = await db
    .selectFrom('deliveryBatches')
    .select(BATCH_COLUMNS)
    .where('sessionId', '=', sessionId)
    .where('threadId', '=', threadId)
    .orderBy('givenAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return batch ?? null;
}

/** The contents of the answer to a batch, and how many of its messages it has answered. */
export async function answerToBatch(
  db: Queryable,
  batch: DeliveryBatch,
): Promise<{ content: string | null; answered: number } | undefined> {
  const { rows } = await sql<{ content: string | null; answered: number }>`
    select (select content from chat_messages where id = ${batch.answerId}) as content,
      (select count(*)::int from chat_messages
        where id = any(${batch.messageIds}::text[]) and batch_id = ${batch.id} and state = 'answered') as answered`.execute(
    db,
  );
  return rows[0];
}

/** Only the first answer is kept. */
export async function setBatchAnswered(
  db: Queryable,
  id: string,
  { answerId, now }: { answerId: string | null; now: Date },
): Promise<void> {
  await db
    .updateTable('deliveryBatches')
    .set({ answeredAt: now, answerId })
    .where('id', '=', id)
    .where('answeredAt', 'is', null)
    .execute();
}

/**
 * Counts one more time that the session was told to fetch again what it holds, on the batch that was given
 * longest ago. Not idempotent.
 */
export async function countOffer(db: Queryable, sessionId: string): Promise<void> {
  await sql`update delivery_batches set offers = offers + 1 where id = (
    select b.id from chat_messages m join delivery_batches b on b.id = m.batch_id
    where m.delivered_session_id = ${sessionId} and m.state = 'delivered' and b.offers < ${MAX_BATCH_OFFERS}
    order by b.given_at limit 1)`.execute(db);
}
