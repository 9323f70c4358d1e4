/** A queue with one reader that waits for the next item. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #wake: () => void = () => undefined;
  #isEnded = false;

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** What is in the queue is still read. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Whether such an item waits to be read. */
  has(isMeant: (item: T) => boolean): boolean {
    return this.#items.some(isMeant);
  }

  /** Undefined when the queue has ended. */
  async next(): Promise<T | undefined> {
    while (this.#items.length === 0 && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#items.shift();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (let item = await this.next(); item !== undefined; item = await this.next()) yield item;
  }
}
