/** Lets one turn after the other work. */
export class TurnOrder {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is this turn's time, with what ends it. */
  async enter(): Promise<() => void> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    await before;
    return turn.resolve;
  }
}
