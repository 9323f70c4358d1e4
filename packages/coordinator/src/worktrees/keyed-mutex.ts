/** Runs pieces of work with the same name one after the other. Work with different names runs at the same time. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const result = before.then(work, work);
    const settled = result
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(name) === settled) this.#last.delete(name);
      });
    this.#last.set(name, settled);
    return result;
  }
}
