import { expect, test } from 'vitest';
import { readableLine, terminalLog } from './readable-log.ts';

const LINE = JSON.stringify({
  level: 'info',
  time: '2026-11-28T06:41:20.123Z',
  service: 'rest-api',
  pid: 7,
  subsystem: 'sweeper',
  url: 'http://localhost:3100',
  msg: 'service serves',
});
const READABLE = '06:41:20 info  rest-api/sweeper: service serves url="http://localhost:3100"';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  const write = (chunk: Uint8Array | string) => written.push(String(chunk)) > 0;
  return { written, log: terminalLog({ isTTY, write }) };
}

test('a line of the log is readable, with its error below; any other line stays', () => {
  expect(readableLine(LINE)).toBe(READABLE);
  const failed = { ...JSON.parse(LINE), err: { message: 'no', stack: 'Error: no\n    at a.ts:1' } };
  expect(readableLine(JSON.stringify(failed))).toBe(`${READABLE}\n    Error: no\n        at a.ts:1`);
  for (const other of ['', 'LOG: ready', '{"a":1}', '{broken']) expect(readableLine(other)).toBe(other);
});

test('no control character of a message reaches the terminal', () => {
  const msg = 'a\u001b]0;title\u0007\rb\u009bc\td';
  const shown = 'a\\x1b]0;title\\x07\\x0db\\x9bc\td';
  expect(readableLine(msg)).toBe(shown);
  expect(readableLine(JSON.stringify({ ...JSON.parse(LINE), msg }))).toContain(shown);
});

test('on a terminal chunks are joined into lines, and what is left is written at the end', () => {
  const { written, log } = terminal(true);
  const bytes = Buffer.from(`${LINE}\nサービス\nlast`);
  for (const byte of bytes) log.write(Buffer.from([byte]));
  expect(written).toEqual([`${READABLE}\n`, 'サービス\n']);
  log.end();
  expect(written.at(-1)).toBe('last\n');
});

test('elsewhere the log passes unchanged', () => {
  const { written, log } = terminal(false);
  log.write(`${LINE}\n{"half`);
  log.end();
  expect(written).toEqual([`${LINE}\n{"half`]);
});
