import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Embedder } from '../../../platform/models/model-ports.ts';
import { embeddingText } from '../rules/embedding-text.ts';
import { type Embed, embedTexts } from './embed-batch.ts';
import { EmbeddingPass } from './embedding-pass.ts';
import {
  configureModel,
  type EmbeddingRow,
  findEmbedding,
  movePosition,
  type PendingDocument,
  releaseLease,
  saveMeasure,
  storeVectors,
  takeLease,
} from './embedding-queries.ts';
import { measureModel } from './measure-model.ts';
import { copyStored } from './pgvector-queries.ts';
import { bytesOf } from './vector-bytes.ts';

export interface EmbeddingWorkerOptions {
  readonly database: Database;
  readonly embedder: Embedder;
  /** The name of the model: vectors of another name are made anew. */
  readonly model: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs?: number;
  /** After so long every transaction has ended that has begun before. */
  readonly commitWithinMs?: number;
  readonly backoffMs?: { readonly first: number; readonly most: number };
}

/** Texts of one round. */
const BATCH = 64;
const REQUEST_MS = 30_000;
/** A service that was killed delays the work of another one by this. */
const LEASE_MS = 6_000;
const COMMIT_WITHIN_MS = 30_000;
const BACKOFF_MS = { first: 1_000, most: 60_000 };

/** taken: another process is at it, or another model was configured since. */
export type RoundsEnd = 'done' | 'taken' | 'stopped';

/**
 * Embeds every document of every memory, and again when its text was written anew or the model is another one. What is
 * done stands in the database, so a process that dies loses one batch of work at most. Of several processes the one that
 * has the lease works; two that work at once do no harm. A failure delays the next attempt, and loses nothing.
 */
export class EmbeddingWorker {
  readonly #options: EmbeddingWorkerOptions;
  readonly #owner = randomUUID();
  readonly #end = new AbortController();
  #isConfigured = false;
  #pass: EmbeddingPass | undefined;
  /** What was written up to here is committed when `commitWithinMs` have passed since. */
  #mark: { readonly textSeq: number; readonly at: number } | undefined;
  #hasLease = false;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #embedded = 0;
  #refused = 0;
  /** Everything is embedded for the first time, or by a new model. */
  #isCatchingUp = false;

  constructor(options: EmbeddingWorkerOptions) {
    this.#options = options;
  }

  /** What this process has embedded, what the model has refused, and failures since the last success. */
  get counts(): { embedded: number; refused: number; failures: number } {
    return { embedded: this.#embedded, refused: this.#refused, failures: this.#failures };
  }

  /** Something may have been stored. Does not shorten the wait after a failure. */
  wake(): void {
    if (this.#end.signal.aborted || this.#timer) return;
    if (this.#running) {
      this.#isWanted = true;
      return;
    }
    this.#isWanted = false;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isWanted) this.wake();
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Embeds until nothing is left. */
  async runOnce(): Promise<RoundsEnd> {
    const { database, model } = this.#options;
    try {
      if (!this.#isConfigured) await configureModel(database.db, model);
      this.#isConfigured = true;
      for (;;) {
        const end = await this.#round();
        if (end !== null) return end;
      }
    } finally {
      // The next walk begins at the newest: what is embedded it only passes.
      this.#pass = undefined;
      if (this.#hasLease) await releaseLease(database.db, model, this.#owner);
      this.#hasLease = false;
    }
  }

  async #run(): Promise<void> {
    const { logger, model, leaseMs = LEASE_MS } = this.#options;
    try {
      if ((await this.runOnce()) === 'taken') this.#wakeIn(leaseMs);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#failures += 1;
      this.#isWanted = false;
      this.#wakeIn(this.#backoffMs());
      // One line for an endpoint that is away, not one for each attempt.
      if (this.#failures === 1) logger.warn({ err: error, model }, 'texts cannot be embedded');
    }
  }

  /** Null: there may be more. */
  async #round(): Promise<RoundsEnd | null> {
    if (this.#end.signal.aborted) return 'stopped';
    const { database, model, clock, leaseMs = LEASE_MS } = this.#options;
    const known = await findEmbedding(database.db, model);
    if (!known) {
      this.#isConfigured = false;
      throw new Error('the configured model is not in the database any more');
    }
    const { position } = known;
    this.#pass ??= await EmbeddingPass.start(database.db, {
      model,
      position,
      startedAt: clock.now().getTime(),
    });
    const documents = await this.#pass.next(BATCH);
    if (documents.length === 0) {
      await this.#settle(this.#pass, position);
      this.#recovered();
      return 'done';
    }
    if (!this.#hasLease) {
      this.#hasLease = await takeLease(database.db, model, { owner: this.#owner, leaseMs });
      // Read again: whoever had the lease until now may have embedded these.
      this.#pass = undefined;
      return this.#hasLease ? null : 'taken';
    }
    await this.#whileLeased(() => this.#embed(known, documents));
    return null;
  }

  async #embed(known: EmbeddingRow, documents: readonly PendingDocument[]): Promise<void> {
    const { database, model, logger } = this.#options;
    const embed: Embed = (texts) => this.#ask(texts);
    let { dimensions } = known;
    if (known.weight === null || dimensions === null) {
      const measured = await measureModel(embed);
      await saveMeasure(database.db, model, measured);
      ({ dimensions } = measured);
      logger.info({ model, ...measured }, 'the embedding model was measured');
    }
    if (known.position === 0 && !this.#isCatchingUp && this.#mark === undefined) {
      logger.info({ model }, 'embedding everything by this model');
      this.#isCatchingUp = true;
    }
    const texts = documents.map(({ item }) => embeddingText(item));
    const vectors = await embedTexts(embed, texts, dimensions);
    const items = documents.map(({ id, textSeq }, index) => {
      const vector = vectors[index] ?? null;
      return { id, textSeq, vector: vector && bytesOf(vector) };
    });
    const stored = await database.transaction(async (tx) => {
      const seqs = await storeVectors(tx.db, model, items);
      await copyStored(
        tx.db,
        items.flatMap(({ id }, index) => {
          const seq = seqs.get(id);
          return seq === undefined ? [] : [{ id, seq, vector: vectors[index] ?? null }];
        }),
      );
      return seqs;
    });
    this.#embedded += stored.size;
    this.#refused += items.filter(({ id, vector }) => vector === null && stored.has(id)).length;
    // What was locked by somebody is not stored: the walk begins again.
    if (stored.size < items.length) this.#pass = undefined;
    this.#recovered();
  }

  /** A walk that began long enough after a mark, and has ended, has seen everything up to that mark. */
  async #settle(pass: EmbeddingPass, position: number): Promise<void> {
    const { database, model, logger, commitWithinMs = COMMIT_WITHIN_MS } = this.#options;
    if (this.#isCatchingUp) logger.info({ model, embedded: this.#embedded }, 'everything is embedded');
    this.#isCatchingUp = false;
    const mark = this.#mark;
    if (mark !== undefined && pass.startedAt - mark.at < commitWithinMs) return;
    if (mark !== undefined && mark.textSeq > position)
      await movePosition(database.db, model, { from: position, to: mark.textSeq });
    this.#mark = { textSeq: pass.top, at: pass.startedAt };
  }

  #recovered(): void {
    const { logger, model } = this.#options;
    if (this.#failures > 0) logger.info({ model }, 'texts are embedded again');
    this.#failures = 0;
  }

  async #whileLeased(work: () => Promise<void>): Promise<void> {
    const { database, model, leaseMs = LEASE_MS } = this.#options;
    const renew = () => takeLease(database.db, model, { owner: this.#owner, leaseMs });
    this.#hasLease = await renew();
    // A lease that is lost meanwhile is noticed by the next round.
    let renewal: Promise<void> | undefined;
    const beat = setInterval(() => {
      renewal ??= renew()
        .then(() => undefined)
        .catch(() => undefined)
        .finally(() => {
          renewal = undefined;
        });
    }, leaseMs / 3);
    try {
      await work();
    } finally {
      clearInterval(beat);
      // After the release it would take the lease for nobody.
      await renewal;
    }
  }

  #ask(texts: readonly string[]) {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(REQUEST_MS)]);
    return this.#options.embedder.embed(texts, signal);
  }

  #wakeIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, ms);
  }

  #backoffMs(): number {
    const { first, most } = this.#options.backoffMs ?? BACKOFF_MS;
    return Math.min(most, first * 2 ** (this.#failures - 1)) * (0.5 + Math.random() / 2);
  }
}
