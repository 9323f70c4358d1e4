const NEWLINE = 0x0a;

/**
 * The lines of a stream of bytes, without their ends. A line that is longer than `maxBytes` comes in pieces, so that
 * a program without line breaks does not fill the memory.
 */
export async function* linesOf(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer, void, void> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (last: Buffer): Buffer => {
    const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield take(chunk.subarray(start, end));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0) continue;
    if (length + rest.length >= maxBytes) {
      yield take(rest);
    } else {
      parts.push(rest);
      length += rest.length;
    }
  }
  if (length > 0) yield take(Buffer.alloc(0));
}
