/** Reads what is dropped, chunk by chunk. */
export interface DropScan {
  /** How much of `text` still belongs to it; -1: all of it, and more may follow. */
  feed(text: string): number;
}

/** An object or array, from whatever stands before its first bracket to its last. Strings may hold brackets. */
export class ObjectScan implements DropScan {
  #depth = 0;
  #isEscaped = false;
  /** As the first string begins: `"`, `'`, or `\"` where the whole object stands in a string. */
  #quote: string | undefined;
  #isInString = false;
  #backslashes = 0;

  feed(text: string): number {
    for (let index = 0; index < text.length; index += 1)
      if (this.#isLast(text.charAt(index))) return index + 1;
    return -1;
  }

  #isLast(char: string): boolean {
    if (char === '\\') {
      this.#backslashes += 1;
      return false;
    }
    const backslashes = this.#backslashes;
    this.#backslashes = 0;
    if (char === '"' || char === "'") this.#atQuote(char, backslashes);
    if (this.#isInString) return false;
    if (char === '{' || char === '[') this.#depth += 1;
    else if ((char === '}' || char === ']') && this.#depth > 0) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  #atQuote(char: string, backslashes: number): void {
    if (this.#depth === 0) return;
    if (this.#quote === undefined) {
      this.#quote = char;
      this.#isEscaped = backslashes > 0;
    }
    const ends = this.#isEscaped ? backslashes === 1 : backslashes % 2 === 0;
    if (char === this.#quote && ends) this.#isInString = !this.#isInString;
  }
}

/** Lines up to an empty one. */
export class LinesScan implements DropScan {
  #isLineEmpty = false;

  feed(text: string): number {
    for (let index = 0; index < text.length; index += 1) {
      const char = text.charAt(index);
      if (char === '\n' && this.#isLineEmpty) return index + 1;
      if (char === '\n') this.#isLineEmpty = true;
      else if (char.trim() !== '') this.#isLineEmpty = false;
    }
    return -1;
  }
}

const LONGEST_CLOSING_TAG = 40;

/** Up to the closing tag. */
export class TagScan implements DropScan {
  readonly #closing: RegExp;
  #tail = '';

  constructor(name: string) {
    this.#closing = new RegExp(`</\\s*(?:${name})\\s*>`, 'i');
  }

  feed(text: string): number {
    const all = this.#tail + text;
    const match = this.#closing.exec(all);
    if (match) return match.index + match[0].length - this.#tail.length;
    this.#tail = all.slice(-LONGEST_CLOSING_TAG);
    return -1;
  }
}

/** The end of a code fence, if that follows. */
export class FenceEndScan implements DropScan {
  #ticks = 0;

  feed(text: string): number {
    for (let index = 0; index < text.length; index += 1) {
      const char = text.charAt(index);
      if (char === '`') this.#ticks += 1;
      else if (this.#ticks > 0 || char.trim() !== '') return index;
      if (this.#ticks === 3) return index + 1;
    }
    return -1;
  }
}

/** As many characters as are known. */
export class LengthScan implements DropScan {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  feed(text: string): number {
    if (text.length >= this.#left) return this.#left;
    this.#left -= text.length;
    return -1;
  }
}
