export interface StreamHiding {
  /** Makes the secrets of the run unreadable in a text, which keeps its length. */
  readonly hide: (text: string) => string;
  /** How much of the end of a text may be the beginning of a secret. */
  readonly begunSecret: (text: string) => number;
}

/** A text that comes in pieces, without secrets: what may be the beginning of one is held until it is known. */
export class HiddenStream {
  readonly #hiding: StreamHiding;
  #held = '';

  constructor(hiding: StreamHiding) {
    this.#hiding = hiding;
  }

  /** What can be shown now. */
  push(piece: string): string {
    const { hide, begunSecret } = this.#hiding;
    const text = hide(this.#held + piece);
    const end = text.length - begunSecret(text);
    this.#held = text.slice(end);
    return text.slice(0, end);
  }

  /** What was held: nothing follows it. */
  flush(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}
