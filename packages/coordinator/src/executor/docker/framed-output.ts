import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';

/** A frame begins with its stream (1 stdout, 2 stderr), three zeros, and its length. */
const HEADER_BYTES = 8;
const STDERR = 2;

export interface SplitOutput {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** Takes the two streams of a container apart, which the engine sends as one. Reads no faster than they are read. */
export function splitOutput(framed: AsyncIterable<Buffer>): SplitOutput {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  void forward(framed, (stream) => (stream === STDERR ? stderr : stdout))
    .catch(() => undefined)
    // A connection that broke is the end of the output too: the exit says how the run ended.
    .finally(() => {
      stdout.end();
      stderr.end();
    });
  return { stdout, stderr };
}

async function forward(framed: AsyncIterable<Buffer>, to: (stream: number) => PassThrough): Promise<void> {
  let held = Buffer.alloc(0);
  let stream = 0;
  /** What is missing of the present frame. */
  let missing = 0;
  for await (const chunk of framed) {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      if (missing === 0) {
        if (held.length < HEADER_BYTES) break;
        stream = held.readUInt8(0);
        missing = held.readUInt32BE(4);
        held = held.subarray(HEADER_BYTES);
      }
      const content = held.subarray(0, missing);
      held = held.subarray(content.length);
      missing -= content.length;
      const target = to(stream);
      if (content.length > 0 && !target.write(content)) await once(target, 'drain');
      if (held.length === 0) break;
    }
  }
}
