import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import {
  createPgvector,
  findPgvector,
  findUncopied,
  holdVectors,
  mayNotCreate,
  putCopies,
} from './pgvector-queries.ts';
import { vectorOf } from './vector-bytes.ts';

export interface PgvectorCopyOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** Vectors of one transaction. */
  readonly batch?: number;
  readonly retryMs?: number;
}

const BATCH = 500;
/** Vectors of one look. */
const RANGE = 5_000;
const RETRY_MS = 10_000;
/** After so long it is looked again for an extension that was not there, or could not be created. */
const LOOK_MS = 600_000;

/** absent: there is no extension. refused: the role may not create it. stopped: before everything was copied. */
export type CopyEnd = 'absent' | 'refused' | 'whole' | 'incomplete' | 'stopped';

/**
 * Copies the vectors into the table of pgvector, when the database has it: those that were stored before it was made. What is
 * stored later is copied by who stores it (copyStored). Two processes at once do no harm, and one that dies loses a batch.
 */
export class PgvectorCopy {
  readonly #options: PgvectorCopyOptions;
  readonly #end = new AbortController();
  #isWhole = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor(options: PgvectorCopyOptions) {
    this.#options = options;
  }

  /** Nothing is missing: searches may use it. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** It was dropped under the process. */
  lose(error: unknown): void {
    this.#isWhole = false;
    this.#warn(error, 'pgvector is gone');
    this.#startIn(LOOK_MS);
  }

  /** Copies until nothing is left; at each start, which costs a look at the keys when all is there. */
  async runOnce(): Promise<CopyEnd> {
    const { database, logger } = this.#options;
    const state = await findPgvector(database.db);
    if (state === 'absent') return 'absent';
    if (state === 'missing') {
      try {
        await database.transaction((tx) => createPgvector(tx.db));
      } catch (error) {
        if (!mayNotCreate(error)) throw error;
        this.#warn(
          error,
          'pgvector is not used: the role may not create the extension, or does not see its type',
        );
        return 'refused';
      }
    }
    const { copied, left } = await this.#copyAll();
    if (this.#end.signal.aborted) return 'stopped';
    if (left > 0) return 'incomplete';
    logger.info({ copied }, 'the vectors of memories are held by pgvector too');
    this.#isWhole = true;
    this.#hasWarned = false;
    return 'whole';
  }

  async #run(): Promise<void> {
    const { retryMs = RETRY_MS } = this.#options;
    try {
      const end = await this.runOnce();
      if (end === 'incomplete') this.#startIn(retryMs);
      else if (end === 'absent' || end === 'refused') this.#startIn(LOOK_MS);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#warn(error, 'vectors cannot be copied to pgvector');
      this.#startIn(retryMs);
    }
  }

  #startIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#end.signal.aborted) this.#timer = setTimeout(() => this.start(), ms);
  }

  /** One line, not one for each attempt. */
  #warn(error: unknown, message: string): void {
    if (!this.#hasWarned) this.#options.logger.warn({ err: error }, message);
    this.#hasWarned = true;
  }

  async #copyAll(): Promise<{ copied: number; left: number }> {
    const { database, batch = BATCH } = this.#options;
    let [copied, left, after] = [0, 0, 0];
    while (!this.#end.signal.aborted) {
      const part = await findUncopied(database.db, { after, range: RANGE, limit: batch });
      if (part === null) break;
      const { ids } = part;
      if (ids.length > 0) {
        const held = await database.transaction(async (tx) => {
          const rows = await holdVectors(tx.db, ids);
          await putCopies(
            tx.db,
            rows.map(({ vector, ...row }) => ({ ...row, vector: vectorOf(vector) })),
          );
          return rows.length;
        });
        copied += held;
        // Somebody deletes them: if not, they are copied the next time.
        left += ids.length - held;
      }
      after = part.to;
    }
    return { copied, left };
  }
}
