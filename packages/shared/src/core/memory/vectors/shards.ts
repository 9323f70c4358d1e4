import { Shard, type ShardSight } from './shard.ts';
import type { ShardKey, ShardQueries } from './shard-queries.ts';
import { vectorOf } from './vector-bytes.ts';

export interface NearestInput extends ShardKey, ShardSight {
  readonly query: Float32Array;
  readonly limit: number;
}

export interface Nearest {
  /** Ids of events and states, the nearest first. */
  readonly items: readonly string[];
  /** How many vectors were compared. */
  readonly vectors: number;
}

/** Of all agents together; what is searched now is kept in any case. */
export const SHARD_BYTES = 256 * 2 ** 20;
/** Vectors of one statement. */
const CHUNK = 1_000;
/** Longer than a transaction that stores vectors may take: later none appears before the others. */
const COMMIT_WITHIN_MS = 30_000;
/** Nor so many others be stored meanwhile: each batch of them waits for the model. */
const MOST_MEANWHILE = 5_000;
/** So often what is deleted makes room for others. */
const MOST_LOOKS = 4;

interface Loaded {
  shard: Shard | undefined;
  /** Everything up to here is loaded. */
  settled: number;
  /** What was read last, and when. */
  mark: { readonly seq: number; readonly at: number } | undefined;
  loading: Promise<void>;
}

/** The shards that are in memory. Each search first loads what was written since the one before it. */
export class Shards {
  readonly #queries: ShardQueries;
  readonly #mostBytes: number;
  readonly #now: () => number;
  /** The one that was used last is the last. */
  readonly #loaded = new Map<string, Loaded>();

  constructor(queries: ShardQueries, mostBytes = SHARD_BYTES, now: () => number = () => performance.now()) {
    this.#queries = queries;
    this.#mostBytes = mostBytes;
    this.#now = now;
  }

  get count(): number {
    return this.#loaded.size;
  }

  async nearest({ query, limit, ...input }: NearestInput): Promise<Nearest> {
    const loaded = this.#use(input);
    loaded.loading = loaded.loading.catch(() => undefined).then(() => this.#load(loaded, input));
    await loaded.loading;
    this.#dropOthers();
    const { shard } = loaded;
    if (!shard) return { items: [], vectors: 0 };
    if (shard.dimensions !== query.length)
      throw new RangeError(`a vector of ${query.length} numbers among those of ${shard.dimensions}`);
    for (let look = 1; ; look += 1) {
      const ids = shard.nearest(query, input, limit);
      const items = await this.#queries.itemsOf(input.model, ids);
      const gone = ids.filter((id) => !items.has(id));
      for (const id of gone) shard.remove(id);
      if (gone.length === 0 || look === MOST_LOOKS)
        return { items: ids.flatMap((id) => items.get(id) ?? []), vectors: shard.size };
    }
  }

  #use({ agentId, model }: ShardKey): Loaded {
    const key = `${agentId} ${model}`;
    const known = this.#loaded.get(key);
    const loaded = known ?? {
      shard: undefined,
      settled: 0,
      mark: undefined,
      loading: Promise.resolve(),
    };
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    return loaded;
  }

  async #load(loaded: Loaded, key: ShardKey): Promise<void> {
    const at = this.#now();
    const places = await this.#queries.writtenAfter(key, loaded.settled);
    const missing = places
      .filter(({ documentId, seq }) => loaded.shard?.seqOf(documentId) !== seq)
      .map(({ documentId }) => documentId);
    for (let from = 0; from < missing.length; from += CHUNK) {
      const rows = await this.#queries.byDocuments(key.model, missing.slice(from, from + CHUNK));
      for (const { vector: bytes, createdAt, ...row } of rows) {
        const vector = vectorOf(bytes);
        loaded.shard ??= new Shard(vector.length);
        if (vector.length === loaded.shard.dimensions)
          loaded.shard.put({ ...row, createdAt: createdAt.getTime() }, vector);
      }
    }
    const last = places.at(-1)?.seq ?? loaded.settled;
    loaded.settled = Math.max(loaded.settled, last - MOST_MEANWHILE);
    const { mark } = loaded;
    if (mark !== undefined && at - mark.at < COMMIT_WITHIN_MS) return;
    loaded.settled = Math.max(loaded.settled, mark?.seq ?? 0);
    loaded.mark = { seq: last, at };
  }

  /** Not the one that was used last. */
  #dropOthers(): void {
    let bytes = [...this.#loaded.values()].reduce((sum, { shard }) => sum + (shard?.bytes ?? 0), 0);
    for (const [key, { shard }] of [...this.#loaded].slice(0, -1)) {
      if (bytes <= this.#mostBytes) return;
      bytes -= shard?.bytes ?? 0;
      this.#loaded.delete(key);
    }
  }
}
