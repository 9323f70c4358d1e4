import { MIN_BEGUN_LENGTH } from '@aizuchi/shared/platform/secret-values';

export interface StreamHiding {
  /** Makes the secrets of the run unreadable in a text, which keeps its length. */
  readonly hide: (text: string) => string;
  /** How much of the end of a text may be the beginning of a secret. */
  readonly begunSecret: (text: string) => number;
}

/**
 * A text that comes in pieces, without secrets: what may be the beginning of one is held until it is known. Fewer
 * characters than MIN_BEGUN_LENGTH are shown at once, and seen again with the next piece.
 */
export class HiddenStream {
  readonly #hiding: StreamHiding;
  /** The end of what was shown. */
  #shown = '';
  #held = '';

  constructor(hiding: StreamHiding) {
    this.#hiding = hiding;
  }

  /** What can be shown now. */
  push(piece: string): string {
    const { hide, begunSecret } = this.#hiding;
    const text = hide(this.#shown + this.#held + piece);
    const start = this.#shown.length;
    const end = Math.max(start, text.length - begunSecret(text));
    this.#held = text.slice(end);
    this.#shown = text.slice(0, end).slice(1 - MIN_BEGUN_LENGTH);
    return text.slice(start, end);
  }

  /** What was held: nothing follows it. */
  flush(): string {
    const rest = this.#held;
    this.#held = '';
    this.#shown = '';
    return rest;
  }
}
