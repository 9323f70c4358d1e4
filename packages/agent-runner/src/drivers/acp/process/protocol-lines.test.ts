import { expect, test } from 'vitest';
import { linesOf } from '../../process/lines.ts';
import { ProtocolReader } from './protocol-lines.ts';

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function read(lines: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(Buffer.from(line).toString());
  return found;
}

test('lines are put together from pieces, the last one without its end too', async () => {
  expect(await read(linesOf(chunks('a', 'b\nc\n\nd', 'e'), 100))).toEqual(['ab', 'c', '', 'de']);
});

test('a line without an end comes in pieces', async () => {
  const lines = await read(linesOf(chunks('x'.repeat(60), 'x'.repeat(60), 'x'.repeat(10)), 100));
  expect(lines.map(({ length }) => length)).toEqual([120, 10]);
});

const readerOf = (log: (sentence: string) => void) => new ProtocolReader({ log, hide: (text) => text });

test('messages are let through; other lines are logged, without those that are empty', async () => {
  const logged: string[] = [];
  const reader = readerOf((sentence) => void logged.push(sentence));
  const message = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const lines = await read(reader.messages(chunks(`hello\n\n${message}\r\n{"id":1}\n[1]\n`)));
  expect(lines).toEqual([`${message}\r\n`]);
  expect(logged.map((line) => line.split(': ').at(-1))).toEqual(['hello', '{"id":1}', '[1]']);
  expect(reader.lastRubbish).toBe('[1]');
});

test('a flood ends the reading, also one without line breaks', async () => {
  for (const end of ['\n', '']) {
    const reader = readerOf(() => undefined);
    const flood = Array.from({ length: 40 }, () => `${'x'.repeat(1024 * 1024)}${end}`);
    expect(await read(reader.messages(chunks(...flood)))).toEqual([]);
    expect(reader.isFlooded).toBe(true);
  }
});
