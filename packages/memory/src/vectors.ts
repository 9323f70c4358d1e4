import { EmbeddingWorker } from '@aizuchi/shared/core/memory/vectors/embedding-worker';
import { PgvectorCopy } from '@aizuchi/shared/core/memory/vectors/pgvector-copy';
import { PgvectorSearch } from '@aizuchi/shared/core/memory/vectors/pgvector-search';
import { VectorSearch } from '@aizuchi/shared/core/memory/vectors/vector-search';
import { VectorThread } from '@aizuchi/shared/core/memory/vectors/vector-thread';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { Database } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { Embedder } from '@aizuchi/shared/platform/models/model-ports';

export interface Vectors {
  readonly worker: EmbeddingWorker;
  readonly copy: PgvectorCopy;
  readonly search: VectorSearch;
}

/** What makes the vectors, what copies them for pgvector, and what searches them; only with a model of EMBEDDING_*. */
export function openVectors(parts: {
  readonly database: Database;
  readonly read: Database;
  readonly embedder: Embedder;
  readonly model: string;
  readonly clock: Clock;
  readonly logger: Logger;
}): Vectors {
  const { database, read, ...common } = parts;
  const { logger } = parts;
  const copy = new PgvectorCopy({ database, logger });
  const searches = [new VectorThread(read.url), new PgvectorSearch(copy)];
  return {
    worker: new EmbeddingWorker({ database, ...common }),
    copy,
    search: new VectorSearch({ database: read, searches, ...common }),
  };
}
