import type { Degradation } from '../../../contract/memory.ts';
import type { Logger } from '../../../platform/logger.ts';

/** How long a step may take, by its name; undefined: as long as in the product. */
export type StepMs = (step: string) => number | undefined;

/** What became of the steps of one retrieval: how long each took, and which failed or was left behind. */
export class Collection {
  readonly timings: Record<string, number> = {};
  readonly errors: Record<string, string> = {};
  readonly #startedAt = performance.now();
  #collectorsAt = this.#startedAt;
  readonly #budgetMs: number;
  readonly #logger: Logger;
  readonly #stepMs: StepMs | undefined;

  constructor(logger: Logger, budgetMs = Number.POSITIVE_INFINITY, stepMs?: StepMs) {
    this.#logger = logger;
    this.#budgetMs = budgetMs;
    this.#stepMs = stepMs;
  }

  get degraded(): Degradation[] {
    return Object.values(this.errors).includes(LATE) ? ['collector_late'] : [];
  }

  /** Milliseconds of the budget that are left. */
  get leftMs(): number {
    return this.#budgetMs - (performance.now() - this.#startedAt);
  }

  /** The collectors begin now, after the plan: their deadlines count from here. */
  beginCollectors(): void {
    this.#collectorsAt = performance.now();
  }

  /**
   * Runs one collector until its deadline, counted from the common start. Null: it failed or was late; it is not awaited
   * any longer, its signal is aborted, and what it still finds is not used.
   */
  async collect<T>(
    name: string,
    deadlineMs: number,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    const deadline = this.#stepMs?.(name) ?? deadlineMs;
    const passed = performance.now() - this.#collectorsAt;
    return this.#within(name, Math.min(deadline - passed, this.leftMs), work);
  }

  /** Runs a step that has a time of its own, within what is left of the budget. */
  async step<T>(name: string, budgetMs: number, work: () => Promise<T>): Promise<T | null> {
    return this.#within(name, Math.min(this.#stepMs?.(name) ?? budgetMs, this.leftMs), work);
  }

  async #within<T>(name: string, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const startedAt = performance.now();
    const over = new AbortController();
    const late = Promise.withResolvers<typeof LATE>();
    const timer = setTimeout(() => late.resolve(LATE), Math.min(MAX_TIMER_MS, Math.max(0, ms)));
    try {
      const done = await Promise.race([work(over.signal).then((value) => ({ value })), late.promise]);
      this.timings[name] = rounded(performance.now() - startedAt);
      if (done !== LATE) return done.value;
      this.errors[name] = LATE;
      return null;
    } catch (error) {
      this.timings[name] = rounded(performance.now() - startedAt);
      this.errors[name] = 'failed';
      this.#logger.warn({ err: error, step: name }, 'a step of retrieval failed');
      return null;
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }
}

const LATE = 'late';
/** The longest time of a timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
