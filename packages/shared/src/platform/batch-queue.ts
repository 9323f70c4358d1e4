export interface BatchQueueOptions<I, O> {
  /**
   * Answers all items in their order, or rejects for all; null: this item has to be done alone. Items of one
   * key are passed in the order in which they came.
   */
  readonly run: (items: readonly I[]) => Promise<readonly (O | null)[]>;
  /**
   * Does the items that `run` answered with null: within a key one after the other, and before later items.
   */
  readonly runAlone: (item: I) => Promise<O>;
  /** Two runs at the same time never hold the same key. */
  readonly keyOf: (item: I) => string;
  readonly maxItems: number;
  readonly maxRuns: number;
}

interface Entry<I, O> {
  readonly item: I;
  readonly key: string;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs items together that arrive while earlier work is under way: a single item runs at once, under load the
 * batches grow by themselves. No item waits for a timer. Own code: dataloader runs any number of batches at
 * once, so the order within a key would be lost.
 */
export class BatchQueue<I, O> {
  readonly #options: BatchQueueOptions<I, O>;
  #waiting: Entry<I, O>[] = [];
  readonly #busy = new Set<string>();
  #runs = 0;
  #isScheduled = false;

  constructor(options: BatchQueueOptions<I, O>) {
    this.#options = options;
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, key: this.#options.keyOf(item), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0 || this.#runs >= this.#options.maxRuns) return;
    this.#isScheduled = true;
    // After the input of the sockets in this turn of the event loop.
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#run(this.#take());
    });
  }

  #take(): Entry<I, O>[] {
    const taken: Entry<I, O>[] = [];
    const left: Entry<I, O>[] = [];
    for (const entry of this.#waiting) {
      const fits = taken.length < this.#options.maxItems && !this.#busy.has(entry.key);
      (fits ? taken : left).push(entry);
    }
    this.#waiting = left;
    return taken;
  }

  async #run(entries: readonly Entry<I, O>[]): Promise<void> {
    // All waiting items belong to keys under way: the end of their run checks again.
    if (entries.length === 0) return;
    this.#runs += 1;
    for (const { key } of entries) this.#busy.add(key);
    this.#schedule();
    const left = Map.groupBy(await this.#runTogether(entries), ({ key }) => key);
    this.#runs -= 1;
    for (const { key } of entries) if (!left.has(key)) this.#busy.delete(key);
    this.#schedule();
    // Not counted as a run: an item that waits delays its own key only.
    for (const [key, rest] of left) void this.#runEachAlone(key, rest);
  }

  /** Items that have to be done alone. */
  async #runTogether(entries: readonly Entry<I, O>[]): Promise<Entry<I, O>[]> {
    const left: Entry<I, O>[] = [];
    try {
      const outputs = await this.#options.run(entries.map(({ item }) => item));
      for (const [index, entry] of entries.entries()) {
        const output = outputs[index];
        if (output === undefined) entry.reject(new Error('a batch left an item without an answer'));
        else if (output === null) left.push(entry);
        else entry.resolve(output);
      }
    } catch (error) {
      for (const { reject } of entries) reject(error);
    }
    return left;
  }

  async #runEachAlone(key: string, entries: readonly Entry<I, O>[]): Promise<void> {
    for (const { item, resolve, reject } of entries) await this.#options.runAlone(item).then(resolve, reject);
    this.#busy.delete(key);
    this.#schedule();
  }
}
