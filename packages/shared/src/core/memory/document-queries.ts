import { type QueryCreator, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { DB } from '../../platform/db/schema.ts';
import type { IndexedDocument } from './rules/index-terms.ts';

/** Writes the document of an event anew; the vector of the text that it had goes. */
export async function updateEventDocument(
  db: Queryable,
  eventId: string,
  { terms, length }: IndexedDocument,
): Promise<void> {
  await db
    .with('outdated', (qb) => withoutVector(qb, 'eventId', eventId))
    .updateTable('memoryDocuments')
    .set({ terms: [...terms], length, textSeq: NEXT })
    .where('eventId', '=', eventId)
    .execute();
}

export interface StateDocument {
  readonly stateId: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly createdAt: Date;
}

/** Writes the document of a state, or writes it anew; the vector of the text that it had goes. */
export async function putStateDocument(
  db: Queryable,
  state: StateDocument,
  { terms, length }: IndexedDocument,
): Promise<void> {
  const values = { terms: [...terms], length, projectId: state.projectId, createdAt: state.createdAt };
  await db
    .with('outdated', (qb) => withoutVector(qb, 'stateId', state.stateId))
    .insertInto('memoryDocuments')
    .values({ stateId: state.stateId, agentId: state.agentId, ...values })
    .onConflict((conflict) => conflict.column('stateId').doUpdateSet({ ...values, textSeq: NEXT }))
    .execute();
}

/** Text that is written anew is embedded anew. */
const NEXT = sql<number>`default`;

function withoutVector(db: QueryCreator<DB>, column: 'eventId' | 'stateId', item: string) {
  return db
    .deleteFrom('memoryVectors')
    .where('documentId', 'in', (of) =>
      of.selectFrom('memoryDocuments').select('id').where(column, '=', item),
    );
}

/**
 * For the transaction of a large batch: Postgres works 1.4 times as long with the usual list of pending entries, 2.4
 * times without one.
 */
export async function collectPendingTerms(db: Queryable): Promise<void> {
  await sql`set local gin_pending_list_limit = 512`.execute(db);
}

/** After the last batch: searches would read the list until somebody stores more. */
export async function clearPendingTerms(db: Queryable): Promise<void> {
  await sql`select gin_clean_pending_list('memory_documents_terms_idx')`.execute(db);
}
