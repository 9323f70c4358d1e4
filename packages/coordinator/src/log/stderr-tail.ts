const MAX_BYTES = 8 * 1024;
const MAX_LINES = 20;

/** Keeps the last lines that a process wrote to stderr. */
export class StderrTail {
  #kept: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const all = Buffer.concat([this.#kept, chunk.subarray(Math.max(0, chunk.length - MAX_BYTES))]);
    this.#kept = all.subarray(Math.max(0, all.length - MAX_BYTES));
  }

  toString(): string {
    // A character cut in half at the beginning would be shown as U+FFFD, and NUL cannot be stored.
    const text = this.#kept
      .toString('utf8')
      .replace(/^\uFFFD+/, '')
      .replaceAll('\0', '');
    return text.trimEnd().split('\n').slice(-MAX_LINES).join('\n');
  }
}
