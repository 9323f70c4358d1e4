import type { Database } from '../../../platform/db/database.ts';

/** The vectors of one agent that one model has made. */
export interface ShardKey {
  readonly agentId: string;
  readonly model: string;
}

export interface VectorPlace {
  readonly documentId: number;
  readonly seq: number;
}

export interface VectorRow extends VectorPlace {
  readonly vector: Buffer;
  readonly projectId: string | null;
  readonly createdAt: Date;
}

/** What the search by vectors reads, on a connection of its own. */
export class ShardQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The vectors that were written after a place, the oldest first. */
  writtenAfter({ agentId, model }: ShardKey, seq: number, limit: number): Promise<VectorPlace[]> {
    return this.#database.statement<VectorPlace>({
      name: 'memory_vectors_after',
      text: `select document_id as "documentId", seq from memory_vectors
        where agent_id = $1 and seq > $2 and model = $3 and vector is not null order by seq limit $4`,
      values: [agentId, seq, model, limit],
    });
  }

  byDocuments(model: string, documentIds: readonly number[]): Promise<VectorRow[]> {
    return this.#database.statement<VectorRow>({
      name: 'memory_vectors_by_documents',
      text: `select v.document_id as "documentId", v.seq, v.vector, d.project_id as "projectId",
          d.created_at as "createdAt"
        from memory_vectors v join memory_documents d on d.id = v.document_id and d.text_seq = v.text_seq
        where v.document_id = any($1::bigint[]) and v.model = $2 and v.vector is not null`,
      values: [documentIds, model],
    });
  }

  /** The events and states of these documents, of those whose vector is still that of their text. */
  async itemsOf(model: string, documentIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.#database.statement<{ id: number; item: string }>({
      name: 'memory_vectors_items',
      text: `select d.id, coalesce(d.event_id, d.state_id) as item
        from memory_documents d join memory_vectors v on v.document_id = d.id and v.text_seq = d.text_seq
        where d.id = any($1::bigint[]) and v.model = $2`,
      values: [documentIds, model],
    });
    return new Map(rows.map(({ id, item }) => [id, item]));
  }
}
