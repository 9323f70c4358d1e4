import { EmbeddingWorker } from '@aizuchi/shared/core/memory/vectors/embedding-worker';
import { VectorSearch } from '@aizuchi/shared/core/memory/vectors/vector-search';
import { VectorThread } from '@aizuchi/shared/core/memory/vectors/vector-thread';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { Database } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { Embedder } from '@aizuchi/shared/platform/models/model-ports';

export interface Vectors {
  readonly worker: EmbeddingWorker;
  readonly search: VectorSearch;
}

/** What makes the vectors, and what searches them; only with a model of EMBEDDING_*. */
export function openVectors(parts: {
  readonly database: Database;
  readonly read: Database;
  readonly embedder: Embedder;
  readonly model: string;
  readonly clock: Clock;
  readonly logger: Logger;
}): Vectors {
  const { database, read, ...common } = parts;
  const searches = [new VectorThread(read.url)];
  return {
    worker: new EmbeddingWorker({ database, ...common }),
    search: new VectorSearch({ database: read, searches, ...common }),
  };
}
