import { FakeOpenAi } from '../../../../tests/fixtures/fake-openai.ts';
import { type MemorySearch, searchMemoryBodySchema } from '../../src/contract/memory.ts';
import type { MemoryScope } from '../../src/core/memory/memory-scope.ts';
import { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import {
  EmbeddingWorker,
  type EmbeddingWorkerOptions,
} from '../../src/core/memory/vectors/embedding-worker.ts';
import { VectorSearch } from '../../src/core/memory/vectors/vector-search.ts';
import { VectorThread } from '../../src/core/memory/vectors/vector-thread.ts';
import { openModels } from '../../src/platform/models/models.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';

/** Words of one row mean the same to the model of these tests. */
const MEANINGS = [
  ['dog', 'puppy', 'hound'],
  ['car', 'automobile', 'vehicle'],
  ['soup', 'broth', 'stew'],
  ['guitar', 'instrument', 'strings'],
];
const DIMENSIONS = 48;

/** A number for each meaning, and others by their characters: the same text gives the same vector. */
export function meaningOf(text: string): number[] {
  const vector = Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const meaning = MEANINGS.findIndex((words) => words.includes(word));
    let hash = 7;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
    const place = meaning >= 0 ? meaning : MEANINGS.length + (hash % (DIMENSIONS - MEANINGS.length));
    vector[place] = (vector[place] ?? 0) + (meaning >= 0 ? 5 : 0.1);
  }
  return vector;
}

/** A memory with vectors, by a scripted server over HTTP. */
export class VectorWorld {
  readonly world: ServiceWorld;
  readonly server: FakeOpenAi;
  readonly #opened: { stop: () => Promise<void> }[] = [];

  private constructor(world: ServiceWorld, server: FakeOpenAi) {
    this.world = world;
    this.server = server;
  }

  static async create(world: ServiceWorld): Promise<VectorWorld> {
    const server = await FakeOpenAi.start(() => ({ status: 500 }));
    server.embedding = (texts) => texts.map(meaningOf);
    return new VectorWorld(world, server);
  }

  /** Nothing is embedded, and no model is known. */
  async reset(): Promise<void> {
    await this.stop();
    await this.world.database.pool.query('delete from memory_embedding');
    await this.world.database.pool.query('delete from memory_events');
    await this.world.database.pool.query('delete from memory_states');
    this.server.embedding = (texts) => texts.map(meaningOf);
    this.server.embedded.length = 0;
  }

  /** A process that embeds. */
  worker(model = 'model-a', options: Partial<EmbeddingWorkerOptions> = {}): EmbeddingWorker {
    const { database, clock, logger } = this.world.deps;
    const worker = new EmbeddingWorker({
      database,
      clock,
      logger,
      model,
      embedder: this.#embedder(model),
      ...options,
    });
    this.#opened.push(worker);
    return worker;
  }

  /** A process that searches. */
  memory(model = 'model-a'): MemoryRetrieval {
    const { database, logger } = this.world.deps;
    const searches = [new VectorThread(database.url)];
    const search = new VectorSearch({ database, logger, model, searches, embedder: this.#embedder(model) });
    this.#opened.push({ stop: () => search.close() });
    return new MemoryRetrieval({ ...this.world.deps, vectors: search });
  }

  async stop(): Promise<void> {
    for (const one of this.#opened.splice(0)) await one.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.server.close();
  }

  #embedder(model: string) {
    const { embedder } = openModels({
      embedding: { baseUrl: this.server.baseUrl, model, apiKey: 'key-of-tests' },
    });
    if (!embedder) throw new Error('not configured');
    return embedder;
  }
}

/** What a search finds, and which of it by its vector; on a busy host a search that was late is made again. */
export async function found(
  memory: MemoryRetrieval,
  scope: MemoryScope,
  query: string,
  more: { readonly asOf?: string; readonly limit?: number } = {},
): Promise<{ ids: string[]; byVector: string[]; degraded: MemorySearch['degraded'] }> {
  const body = searchMemoryBodySchema.parse({ query, expand: false, ...more });
  const { items, degraded } = await memory.search(scope, body);
  if (degraded.includes('collector_late')) return found(memory, scope, query, more);
  const near = items.filter(({ hitSources }) => hitSources.includes('vector'));
  return { ids: items.map(({ id }) => id), byVector: near.map(({ id }) => id), degraded };
}
