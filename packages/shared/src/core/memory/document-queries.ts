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
