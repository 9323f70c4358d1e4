import { beginningAtEnd, HIDDEN } from '@aizuchi/shared/platform/secret-values';

/**
 * Removes secrets from a byte stream, also when a boundary of two chunks divides one. Works on latin1 text,
 * so that bytes of any encoding pass unchanged.
 */
export class Redactor {
  readonly #secrets: readonly string[];
  #held = '';

  constructor(secrets: readonly string[]) {
    // The longest comes first: one secret may be the beginning of another.
    this.#secrets = [...new Set(secrets)]
      .filter((secret) => secret !== '')
      .map((secret) => Buffer.from(secret).toString('latin1'))
      .sort((a, b) => b.length - a.length);
  }

  /** Returns what may be shown now; the beginning of a possible secret is held back until the next chunk. */
  push(chunk: Buffer): Buffer {
    if (this.#secrets.length === 0) return chunk;
    let text = this.#held + chunk.toString('latin1');
    for (const secret of this.#secrets) text = text.replaceAll(secret, HIDDEN);
    const keep = Math.max(...this.#secrets.map((secret) => beginningAtEnd(text, secret)));
    this.#held = text.slice(text.length - keep);
    return Buffer.from(text.slice(0, text.length - keep), 'latin1');
  }

  end(): Buffer {
    const rest = this.#held;
    this.#held = '';
    return Buffer.from(rest, 'latin1');
  }
}
