import type { Logger } from '@aizuchi/shared/platform/logger';

/** What was started before anybody needs it. */
export interface Spare {
  /** What it has loaded: one of before an update is of no use. */
  readonly version: string;
  /** Resolves when it has ended, by itself or not. Never rejects. */
  readonly ended: Promise<unknown>;
  /** One that has just ended may not be known as ended yet. */
  lives(): Promise<boolean>;
  /** Resolves when nothing of it lives any more. A second call changes nothing. */
  end(): Promise<void>;
}

/** Those that are kept now. */
export interface Spares {
  readonly count: number;
  /** Keeps the spares from now on. */
  start(): void;
  /** Ends the spares; resolves when none lives any more. */
  stop(): Promise<void>;
}

/** Of an executor that keeps none. */
export const NO_SPARES: Spares = { count: 0, start: () => undefined, stop: async () => undefined };

export interface SparePoolOptions<S extends Spare> {
  /** How many are kept; 0: none. */
  readonly count: number;
  /** What one that is started now would load; undefined: none can be started now. Never rejects. */
  readonly version: () => Promise<string | undefined>;
  readonly make: (version: string) => Promise<S>;
  /** What is logged when none can be started. */
  readonly missing: string;
  /** How often it is looked for an update. */
  readonly lookEveryMs: number;
  readonly logger: Logger;
}

/** A run that was just started needs the processor more than the next spare. */
const REFILL_AFTER_MS = 1_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

/**
 * Keeps so many spares, and starts another when one is taken or has ended. Soon after an update the old one is
 * replaced, whether anybody needs one or not.
 */
export class SparePool<S extends Spare> implements Spares {
  readonly #options: SparePoolOptions<S>;
  readonly #spares = new Set<S>();
  readonly #ending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isStopped = false;
  #refilling: Promise<void> | undefined;
  #failures = 0;

  constructor(options: SparePoolOptions<S>) {
    this.#options = options;
  }

  get count(): number {
    return this.#spares.size;
  }

  start(): void {
    const { count, lookEveryMs } = this.#options;
    if (count === 0) return;
    this.#refillAfter(REFILL_AFTER_MS);
    clearInterval(this.#looking);
    this.#looking = setInterval(() => void this.#endOld(), lookEveryMs).unref();
  }

  /** One that lives, which the caller owns from now on; undefined when there is none. */
  async take(): Promise<S | undefined> {
    if (this.#spares.size === 0) return undefined;
    const version = await this.#options.version();
    for (const spare of this.#spares) {
      this.#spares.delete(spare);
      this.#refillAfter(REFILL_AFTER_MS);
      if (spare.version === version && (await spare.lives())) {
        this.#failures = 0;
        return spare;
      }
      this.#end(spare);
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    for (const spare of this.#spares) this.#end(spare);
    this.#spares.clear();
    // One that is being made ends when it is made.
    await this.#refilling;
    await Promise.all(this.#ending);
  }

  #refillAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#options.count === 0) return;
    this.#timer = setTimeout(() => this.#refill(), milliseconds).unref();
  }

  /** Another takes the place of each from before an update. */
  async #endOld(): Promise<void> {
    if (this.#spares.size === 0) return;
    const version = await this.#options.version();
    // What is being built, or was removed: the spare is better than none.
    if (version === undefined) return;
    for (const spare of this.#spares) {
      if (spare.version === version) continue;
      this.#spares.delete(spare);
      this.#end(spare);
      this.#refillAfter(REFILL_AFTER_MS);
    }
  }

  #refill(): void {
    // Two at once would both see that one is missing.
    this.#refilling ??= this.#makeMissing().finally(() => {
      this.#refilling = undefined;
    });
  }

  async #makeMissing(): Promise<void> {
    const { count, missing, version: now } = this.#options;
    try {
      while (!this.#isStopped && this.#spares.size < count) {
        const version = await now();
        // It is being built, or was removed: runs say what is missing.
        if (version === undefined) return this.#failed(undefined, missing);
        const failures = this.#failures;
        await this.#add(version);
        // One ended meanwhile: the next is made after its backoff, which may be over.
        if (this.#failures > failures) return this.#refillAfter(this.#backoffMs);
      }
    } catch (error) {
      this.#failed(error, 'spare runner not started');
    }
  }

  async #add(version: string): Promise<void> {
    const spare = await this.#options.make(version);
    this.#spares.add(spare);
    void spare.ended.then(() => {
      // One that was taken belongs to a run.
      if (!this.#spares.delete(spare)) return;
      this.#end(spare);
      this.#failed(undefined, 'spare runner ended by itself');
    });
    // Stopped while it was being made.
    if (this.#isStopped && this.#spares.delete(spare)) this.#end(spare);
  }

  #end(spare: S): void {
    const ended: Promise<void> = spare.end().then(() => void this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Runs go on without a spare, only slower. */
  #failed(error: unknown, sentence: string): void {
    const retryMs = this.#backoffMs;
    this.#failures += 1;
    this.#options.logger.warn({ err: error, retryMs }, sentence);
    this.#refillAfter(retryMs);
  }

  get #backoffMs(): number {
    return Math.min(FIRST_RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
  }
}
