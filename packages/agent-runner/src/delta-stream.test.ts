import { ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import { expect, test } from 'vitest';
import { DeltaStream } from './delta-stream.ts';

test('what comes during a report goes with the next one, with its offset', async () => {
  const sent: [string, number][] = [];
  let release: () => void = () => undefined;
  const stream = new DeltaStream(async (text, offset) => {
    sent.push([text, offset]);
    if (sent.length === 1) await new Promise<void>((resolve) => (release = resolve));
  });
  stream.push('a');
  stream.push('b');
  stream.push('c');
  release();
  await stream.settled();
  expect(sent).toEqual([
    ['a', 0],
    ['bc', 1],
  ]);
  expect(stream.text).toBe('abc');
});

test('a character that comes in two pieces is sent whole', async () => {
  const sent: [string, number][] = [];
  const stream = new DeltaStream(async (text, offset) => void sent.push([text, offset]));
  const [high, low] = ['🎌'.charAt(0), '🎌'.charAt(1)];
  stream.push(`a${high}`);
  await stream.settled();
  stream.push(`${low}b`);
  await stream.settled();
  expect(sent).toEqual([
    ['a', 0],
    ['🎌b', 1],
  ]);
});

test('what the server did not take is sent again with the next piece', async () => {
  const sent: [string, number][] = [];
  let away = true;
  const stream = new DeltaStream(async (text, offset) => {
    if (away) throw new ToolUnreachable('away');
    sent.push([text, offset]);
  });
  stream.push('a');
  await stream.settled();
  away = false;
  stream.push('b');
  await stream.settled();
  expect(sent).toEqual([['ab', 0]]);
});
