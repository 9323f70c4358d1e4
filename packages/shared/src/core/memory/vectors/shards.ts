import { type Nearest, type NearestInput, type NearestSearch, NOTHING } from './nearest.ts';
import { bytesOfVector, Shard } from './shard.ts';
import type { ShardKey, ShardQueries } from './shard-queries.ts';
import { vectorOf } from './vector-bytes.ts';

export interface ShardsOptions {
  /** Of all agents together; what is searched now is kept in any case. */
  readonly maxBytes?: number;
  /** An agent with more is not loaded. */
  readonly maxBytesOfOne?: number;
  readonly now?: () => number;
}

const SHARD_BYTES = 256 * 2 ** 20;
/** Vectors of one statement. */
const CHUNK = 1_000;
/** Longer than a transaction that stores vectors may take: later none appears before the others. */
const COMMIT_WITHIN_MS = 30_000;
/** Nor so many others be stored meanwhile: each batch of them waits for the model. */
const MAX_STORED_MEANWHILE = 5_000;
/** So often what is deleted makes room for others, then everything is loaded anew. */
const MAX_LOOKS = 4;
/** For so long an agent that was too large is not counted again. */
const TOO_LARGE_MS = 600_000;

interface Loaded {
  shard: Shard | undefined;
  /** Everything up to here is loaded. */
  settled: number;
  /** What was read last, and when. */
  mark: { readonly seq: number; readonly at: number } | undefined;
  /** When it was seen to be too large. */
  tooLargeAt: number | undefined;
  loading: Promise<void>;
}

const unloaded = () => ({ shard: undefined, settled: 0, mark: undefined, tooLargeAt: undefined });

/** The shards that are in memory. Each search first loads what was written since the one before it. */
export class Shards implements NearestSearch {
  readonly #queries: ShardQueries;
  readonly #maxBytes: number;
  readonly #maxBytesOfOne: number;
  readonly #now: () => number;
  /** The one that was used last is the last. */
  readonly #loaded = new Map<string, Loaded>();

  constructor(queries: ShardQueries, options: ShardsOptions = {}) {
    this.#queries = queries;
    this.#maxBytes = options.maxBytes ?? SHARD_BYTES;
    this.#maxBytesOfOne = options.maxBytesOfOne ?? SHARD_BYTES;
    this.#now = options.now ?? (() => performance.now());
  }

  get count(): number {
    return this.#loaded.size;
  }

  async nearest(input: NearestInput): Promise<Nearest> {
    const loaded = this.#use(input);
    const shard = await this.#inTurn(loaded, input);
    this.#dropOthers();
    if (!shard) return { ...NOTHING, isTooLarge: loaded.tooLargeAt !== undefined };
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const { nearest, isWhole } = await this.#look(shard, input);
      if (isWhole) return nearest;
    }
    // So many were deleted that to find them one look after another would take many searches.
    const anew = await this.#inTurn(loaded, input, shard);
    return anew ? (await this.#look(anew, input)).nearest : NOTHING;
  }

  /** Whole: nothing was among the nearest that is deleted; what was is removed. */
  async #look(
    shard: Shard,
    { query, limit, ...input }: NearestInput,
  ): Promise<{ nearest: Nearest; isWhole: boolean }> {
    if (shard.dimensions !== query.length)
      throw new RangeError(`a vector of ${query.length} numbers among those of ${shard.dimensions}`);
    const ids = shard.nearest(query, input, limit);
    const itemOf = await this.#queries.itemsOf(input.model, ids);
    const gone = ids.filter((id) => !itemOf.has(id));
    for (const id of gone) shard.remove(id);
    const items = ids.flatMap((id) => itemOf.get(id) ?? []);
    return { nearest: { ...NOTHING, items, vectors: shard.size }, isWhole: gone.length === 0 };
  }

  /** Loads after whoever loads it now. `stale`: anew, unless another search has done so. */
  #inTurn(loaded: Loaded, input: NearestInput, stale?: Shard): Promise<Shard | undefined> {
    const turn = loaded.loading.then(async () => {
      if (stale && loaded.shard === stale) Object.assign(loaded, unloaded());
      await this.#load(loaded, input);
      // What is there now: it may be another one when the caller goes on.
      return loaded.shard;
    });
    loaded.loading = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  #use({ agentId, model }: ShardKey): Loaded {
    const key = `${agentId} ${model}`;
    const known = this.#loaded.get(key);
    const loaded = known ?? { ...unloaded(), loading: Promise.resolve() };
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    return loaded;
  }

  async #load(loaded: Loaded, input: NearestInput): Promise<void> {
    const at = this.#now();
    if (loaded.tooLargeAt !== undefined && at - loaded.tooLargeAt < TOO_LARGE_MS) return;
    loaded.tooLargeAt = undefined;
    const most = Math.floor(this.#maxBytesOfOne / bytesOfVector(input.query.length));
    const places = await this.#queries.writtenAfter(input, loaded.settled, most + 1);
    const missing = places
      .filter(({ documentId, seq }) => loaded.shard?.seqOf(documentId) !== seq)
      .map(({ documentId }) => documentId);
    if (places.length > most || (loaded.shard?.size ?? 0) + missing.length > most) {
      const isCounted = loaded.shard === undefined;
      Object.assign(loaded, unloaded());
      // What it has loaded may be deleted or written anew: only what is in the database counts.
      if (!isCounted) return this.#load(loaded, input);
      loaded.tooLargeAt = at;
      return;
    }
    for (let from = 0; from < missing.length; from += CHUNK) {
      const rows = await this.#queries.byDocuments(input.model, missing.slice(from, from + CHUNK));
      for (const { vector: bytes, createdAt, ...row } of rows) {
        const vector = vectorOf(bytes);
        loaded.shard ??= new Shard(vector.length);
        if (vector.length === loaded.shard.dimensions)
          loaded.shard.put({ ...row, createdAt: createdAt.getTime() }, vector);
      }
    }
    const last = places.at(-1)?.seq ?? loaded.settled;
    loaded.settled = Math.max(loaded.settled, last - MAX_STORED_MEANWHILE);
    const { mark } = loaded;
    if (mark !== undefined && at - mark.at < COMMIT_WITHIN_MS) return;
    loaded.settled = Math.max(loaded.settled, mark?.seq ?? 0);
    loaded.mark = { seq: last, at };
  }

  /** Not the one that was used last. */
  #dropOthers(): void {
    let bytes = [...this.#loaded.values()].reduce((sum, { shard }) => sum + (shard?.bytes ?? 0), 0);
    for (const [key, { shard }] of [...this.#loaded].slice(0, -1)) {
      if (bytes <= this.#maxBytes) return;
      bytes -= shard?.bytes ?? 0;
      this.#loaded.delete(key);
    }
  }
}
