/** So long an answer that was written in the composer can still become a message. */
export const HELD_MS = 5_000;

interface Ways {
  readonly answer: () => void;
  /** Back out of the card, and a message. */
  readonly undo: () => void;
}

/**
 * A text that was written while the agent asks. It becomes the answer or a message, never both and never nothing: also
 * when the card is over before the answer has arrived.
 */
export class HeldReply {
  #state: 'held' | 'answering' | 'over' = 'held';
  readonly #ways: Ways;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  answer(): void {
    if (this.#state !== 'held') return;
    this.#state = 'answering';
    this.#ways.answer();
  }

  undo(): void {
    this.#end(this.#ways.undo);
  }

  /** `rest`: what becomes of a text that is not among its answers. */
  cardIsOver(rest: () => void): void {
    this.#end(rest);
  }

  /** The server did not take the answer. `rest`: what becomes of a text that it had not taken before. */
  refused(rest: () => void): void {
    if (this.#state !== 'answering') return;
    this.#state = 'over';
    rest();
  }

  #end(way: () => void): void {
    if (this.#state !== 'held') return;
    this.#state = 'over';
    way();
  }
}
