import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { splitOutput } from './framed-output.ts';

function frame(stream: number, content: string): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('the streams are taken apart, whatever the boundaries of the chunks are', async () => {
  const bytes = Buffer.concat([
    frame(1, 'one '),
    frame(2, '日本語'),
    frame(1, ''),
    frame(1, 'two'),
    frame(2, '!'),
  ]);
  for (let size = 1; size <= bytes.length; size += 1) {
    const { stdout, stderr } = splitOutput(inPieces(bytes, size));
    expect(await Promise.all([text(stdout), text(stderr)])).toEqual(['one two', '日本語!']);
  }
});

test('a connection that breaks is the end of both', async () => {
  const broken = async function* () {
    yield frame(1, 'begun');
    throw new Error('broken');
  };
  const { stdout, stderr } = splitOutput(broken());
  expect(await Promise.all([text(stdout), text(stderr)])).toEqual(['begun', '']);
});

test('more than a buffer holds goes through', async () => {
  const much = 'x'.repeat(300_000);
  const { stdout, stderr } = splitOutput(inPieces(Buffer.concat([frame(1, much), frame(2, 'end')]), 65_536));
  const [out, err] = await Promise.all([text(stdout), text(stderr)]);
  expect(out.length).toBe(much.length);
  expect(err).toBe('end');
});
