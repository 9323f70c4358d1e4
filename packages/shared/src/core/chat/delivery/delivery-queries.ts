import { sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import { MAX_BATCH_OFFERS } from '../../sessions/rules/next-action.ts';

/** The maximum of new messages of one source in one call; the rest comes with the next call. */
export const BATCH = 50;

/** The messages that one get_pending_messages gave. */
export interface DeliveryBatch {
  readonly id: string;
  /** The chat with people, or the conversation. */
  readonly threadId: string;
  readonly messageIds: readonly string[];
  readonly answeredAt: Date | null;
  /** null: not answered, or read without an answer. */
  readonly answerId: string | null;
  /** What was recalled for it; its answer carries this. */
  readonly retrievalRunId: string | null;
}

const BATCH_COLUMNS = ['id', 'threadId', 'messageIds', 'answeredAt', 'answerId', 'retrievalRunId'] as const;

/** Undefined: the session was not given this batch. */
export function findBatch(db: Queryable, sessionId: string, id: string): Promise<DeliveryBatch | undefined> {
  return db
    .selectFrom('deliveryBatches')
    .select(BATCH_COLUMNS)
    .where('id', '=', id)
    .where('sessionId', '=', sessionId)
    .executeTakeFirst();
}

/** What people have written in this chat and no session was given yet, as the next delivery gives it. */
export async function findUnread(
  db: Queryable,
  { projectId, agentId }: { readonly projectId: string; readonly agentId: string },
): Promise<UnreadMessage[]> {
  const { rows } = await sql<UnreadMessage>`
    select id, content, human_id from chat_messages
    where deliver_to = ${agentId} and project_id = ${projectId} and state = 'stored' and conversation_id is null
    order by created_at, seq limit ${BATCH}`.execute(db);
  return rows;
}

export interface UnreadMessage {
  readonly id: string;
  readonly content: string;
  readonly humanId: string | null;
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
 * What was recalled for a batch that is not answered yet: the named one, else the one that the session was given last.
 * What an agent searches by itself while it holds a batch are words about its messages: it goes when they go. False:
 * there is none.
 */
export async function setRetrieval(
  db: Queryable,
  { sessionId }: { readonly sessionId: string },
  { runId, batchId }: { readonly runId: string; readonly batchId?: string | undefined },
): Promise<boolean> {
  const { rows } = await sql`
    with noted as (
      update delivery_batches set retrieval_run_id = ${runId} where id = (
        select id from delivery_batches
        where session_id = ${sessionId} and answered_at is null and id = coalesce(${batchId ?? null}::text, id)
        order by given_at desc limit 1)
      returning message_ids
    ), searched as (
      update retrieval_runs r set words_of = r.words_of || n.message_ids from noted n
      where r.id = ${runId} and r.event_id is null and ${batchId === undefined}::boolean
    )
    select from noted`.execute(db);
  return rows.length > 0;
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
