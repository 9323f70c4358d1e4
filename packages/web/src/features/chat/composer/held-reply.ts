interface Ways {
  readonly answer: () => void;
  readonly message: () => void;
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

  toMessage(): void {
    if (this.#state !== 'held') return;
    this.#state = 'over';
    this.#ways.message();
  }

  /** The server did not take the answer. `wasTaken`: it had taken it before, and its response was lost. */
  refused(wasTaken: boolean): void {
    if (this.#state !== 'answering') return;
    this.#state = 'over';
    if (!wasTaken) this.#ways.message();
  }
}
