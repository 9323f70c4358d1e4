import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Embedder, ModelError } from '../../../platform/models/model-ports.ts';
import type { Sight } from '../retrieval/document-queries.ts';
import { PLANNER_MS } from '../retrieval/plan.ts';
import { VECTOR_MS, type VectorLeg } from '../retrieval/vector-leg.ts';
import { unitVector } from '../rules/vectors.ts';
import { findEmbedding } from './embedding-queries.ts';
import { type Nearest, type NearestInput, type NearestSearch, TOO_LARGE } from './nearest.ts';

export interface VectorSearchOptions {
  readonly database: Database;
  readonly embedder: Embedder;
  readonly model: string;
  readonly logger: Logger;
  /** The quickest first: one that cannot compare so many leaves them to the next. They are closed with this one. */
  readonly searches: readonly NearestSearch[];
}

/** Texts whose vectors are kept: pages and retries search for the same. */
const MAX_KEPT = 64;
/** As long as a retrieval can wait for it: it is asked beside the plan, and then waited for. */
const REQUEST_MS = PLANNER_MS + VECTOR_MS;
/** What is looked for stands at the end of a long text. */
const LONGEST_TEXT = 4_000;
/** From here on the exact search takes longer than other legs. */
const MANY_VECTORS = 50_000;

/** Finds by the vectors of the configured model what is near in meaning. */
export class VectorSearch implements VectorLeg {
  readonly #options: VectorSearchOptions;
  /** The one that was used last is the last. */
  readonly #kept = new Map<string, Promise<Float32Array>>();
  readonly #end = new AbortController();
  readonly #toldOf = new Set<string>();
  #weight: number | null = null;

  constructor(options: VectorSearchOptions) {
    this.#options = options;
  }

  get weight(): number {
    return this.#weight ?? 0;
  }

  prepare(text: string): void {
    // A failure is that of the search which needs it.
    this.#vectorOf(text).catch(() => undefined);
  }

  async find({
    sight,
    text,
    limit,
    reads,
  }: {
    sight: Sight;
    text: string;
    limit: number;
    reads: Pick<Database, 'statement'>;
  }): Promise<readonly string[]> {
    const { database, model } = this.#options;
    const vector = this.#vectorOf(text);
    vector.catch(() => undefined);
    this.#weight ??= (await findEmbedding(database.db, model))?.weight ?? null;
    const query = await vector;
    // Nothing is embedded before the model is measured.
    if (this.#weight === null) return [];
    const { agentId, projectId } = sight.scope;
    const { items, vectors, isTooLarge } = await this.#nearest(
      {
        agentId,
        model,
        projectId,
        asOf: sight.asOf?.getTime() ?? null,
        query,
        // One more for the event that is not seen.
        limit: sight.exceptEventId === null ? limit : limit + 1,
      },
      reads,
    );
    if (isTooLarge) this.#tell({ agentId }, 'a memory has too many vectors: it is searched by words only');
    else if (vectors > MANY_VECTORS)
      this.#tell({ agentId, vectors }, 'a memory has more vectors than are compared quickly');
    return items;
  }

  async close(): Promise<void> {
    this.#end.abort();
    for (const search of this.#options.searches) await search.close?.();
  }

  async #nearest(input: NearestInput, reads: Pick<Database, 'statement'>): Promise<Nearest> {
    for (const search of this.#options.searches) {
      const nearest = await search.nearest(input, reads);
      if (!nearest.isTooLarge) return nearest;
    }
    return TOO_LARGE;
  }

  #vectorOf(whole: string): Promise<Float32Array> {
    const text = whole.slice(-LONGEST_TEXT).toWellFormed();
    const vector = this.#kept.get(text) ?? this.#ask(text);
    this.#kept.delete(text);
    this.#kept.set(text, vector);
    vector.catch(() => {
      if (this.#kept.get(text) === vector) this.#kept.delete(text);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return vector;
  }

  async #ask(text: string): Promise<Float32Array> {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(REQUEST_MS)]);
    const [values, ...rest] = await this.#options.embedder.embed([text], signal);
    const vector = values && rest.length === 0 ? unitVector(values) : null;
    if (vector === null) throw new ModelError('broken', 'the answer is not one vector');
    return vector;
  }

  /** Each message once for each agent. */
  #tell(of: { readonly agentId: string; readonly vectors?: number }, message: string): void {
    const told = `${of.agentId} ${message}`;
    if (this.#toldOf.has(told)) return;
    this.#toldOf.add(told);
    this.#options.logger.warn(of, message);
  }
}
