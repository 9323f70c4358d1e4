import type { DropScan } from './drop-scans.ts';
import { findBlock, LONGEST_LEAD } from './find-block.ts';

/** Of what was said; to know what a line, a word or what stands before a name begins with. */
const CONTEXT_LENGTH = LONGEST_LEAD + 24;

/**
 * Takes internal blocks out of a reply while it comes: what was recalled, the time and the mood are given to the model
 * as JSON objects and must not reach a person, also if the model is told to print them. They are found by their names
 * and keys in the forms that models write: as JSON (pretty, escaped, in a code fence), as a heading with lines, as a
 * tag. What may still become a block is held back until the next characters tell, so the result does not depend on
 * where the text was cut.
 */
export class BlockFilter {
  /** The end of what was said, then what is held back. */
  #text = '';
  #from = 0;
  #dropping: readonly DropScan[] = [];

  push(text: string): string {
    this.#text += text;
    return this.#take(false);
  }

  /** Nothing follows: what was held back, unless it is the beginning of a block. */
  end(): string {
    return this.#take(true);
  }

  #take(isEnd: boolean): string {
    let said = '';
    while (this.#drop()) {
      const { openUntil, drop } = findBlock(this.#text, this.#from, isEnd);
      said += this.#text.slice(this.#from, openUntil);
      this.#from = openUntil;
      if (!drop) break;
      this.#dropping = drop;
    }
    this.#forget();
    return said;
  }

  /** False: everything that came is dropped. */
  #drop(): boolean {
    for (let [scan, ...rest] = this.#dropping; scan; [scan, ...rest] = this.#dropping) {
      const length = scan.feed(this.#text.slice(this.#from));
      const end = length === -1 ? this.#text.length : this.#from + length;
      this.#text = this.#text.slice(0, this.#from) + this.#text.slice(end);
      if (length === -1) return false;
      this.#dropping = rest;
    }
    return true;
  }

  #forget(): void {
    const begin = Math.max(0, this.#from - CONTEXT_LENGTH);
    this.#text = this.#text.slice(begin);
    this.#from -= begin;
  }
}
