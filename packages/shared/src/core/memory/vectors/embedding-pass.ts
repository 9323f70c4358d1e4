import type { Queryable } from '../../../platform/db/database.ts';
import { lastTextSeq, type PendingDocument, pendingDocuments } from './embedding-queries.ts';

/** The documents of one look: a memory of a million would take seconds. */
const RANGE = 20_000;

/**
 * One walk over the documents that a model has not embedded: what is written from now on first, then from the newest
 * down to the position. It sees what is committed; what commits late is seen by the next walk.
 */
export class EmbeddingPass {
  /** Everything up to here was committed or drawn when the walk began. */
  readonly top: number;
  readonly startedAt: number;
  readonly #db: Queryable;
  readonly #model: string;
  readonly #position: number;
  #high: number;
  #low: number;

  private constructor(
    db: Queryable,
    { model, position, top, startedAt }: { model: string; position: number; top: number; startedAt: number },
  ) {
    this.#db = db;
    this.#model = model;
    this.#position = position;
    this.top = top;
    this.startedAt = startedAt;
    this.#high = top;
    this.#low = top;
  }

  static async start(
    db: Queryable,
    given: { readonly model: string; readonly position: number; readonly startedAt: number },
  ): Promise<EmbeddingPass> {
    return new EmbeddingPass(db, { ...given, top: await lastTextSeq(db) });
  }

  /** The next documents; none: the walk has reached its end. */
  async next(limit: number): Promise<PendingDocument[]> {
    const to = await lastTextSeq(this.#db);
    if (to > this.#high) {
      const fresh = await pendingDocuments(
        this.#db,
        this.#model,
        { after: this.#high, to },
        { limit, order: 'oldest' },
      );
      this.#high = fresh.length === limit ? (fresh.at(-1)?.textSeq ?? to) : to;
      if (fresh.length > 0) return fresh;
    }
    while (this.#low > this.#position) {
      const after = Math.max(this.#position, this.#low - RANGE);
      const older = await pendingDocuments(
        this.#db,
        this.#model,
        { after, to: this.#low },
        { limit, order: 'newest' },
      );
      const last = older.length === limit ? older.at(-1) : undefined;
      this.#low = last === undefined ? after : last.textSeq - 1;
      if (older.length > 0) return older;
    }
    return [];
  }
}
