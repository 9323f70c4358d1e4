/** A line of a body, without its end. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** What is wrong with a line. */
export class LineFault extends Error {
  readonly line: number;
  readonly fault: string;

  constructor(line: number, fault: string) {
    super(`line ${line}: ${fault}`);
    this.line = line;
    this.fault = fault;
  }
}

const LINE_FEED = 0x0a;

/**
 * The lines of a body that arrives in pieces, empty ones too. Holds one line at most. @throws LineFault as soon as a
 * line has more than `maxBytes`.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let begun: Uint8Array[] = [];
  let length = 0;
  const take = (piece: Uint8Array) => {
    length += piece.length;
    if (length > maxBytes) throw new LineFault(number, `longer than ${maxBytes} bytes`);
    begun.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      take(chunk.subarray(start, end));
      yield { number, bytes: Buffer.concat(begun) };
      number += 1;
      begun = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (length > 0) yield { number, bytes: Buffer.concat(begun) };
}
