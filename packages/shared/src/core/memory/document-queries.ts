import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { IndexedDocument } from './rules/index-terms.ts';

/** Writes the document of an event anew. */
export async function updateEventDocument(
  db: Queryable,
  eventId: string,
  { terms, length }: IndexedDocument,
): Promise<void> {
  await db
    .updateTable('memoryDocuments')
    .set({ terms: [...terms], length })
    .where('eventId', '=', eventId)
    .execute();
}

export interface StateDocument {
  readonly stateId: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly createdAt: Date;
}

/** Writes the document of a state, or writes it anew. */
export async function putStateDocument(
  db: Queryable,
  state: StateDocument,
  { terms, length }: IndexedDocument,
): Promise<void> {
  const values = { terms: [...terms], length, projectId: state.projectId, createdAt: state.createdAt };
  await db
    .insertInto('memoryDocuments')
    .values({ stateId: state.stateId, agentId: state.agentId, ...values })
    .onConflict((conflict) => conflict.column('stateId').doUpdateSet(values))
    .execute();
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
