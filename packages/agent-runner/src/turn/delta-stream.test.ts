import { ToolRefused, ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';
import { expect, test } from 'vitest';
import { AnswerId } from './answer-id.ts';
import { type Delta, DeltaStream } from './delta-stream.ts';

const failOnLog = (sentence: string) => expect.unreachable(sentence);

/** A server that takes everything. */
function taking() {
  const sent: Delta[] = [];
  const answerId = new AnswerId();
  const stream = new DeltaStream(async (delta) => void sent.push(delta), failOnLog, answerId);
  return { sent, stream, answerId, pieces: () => sent.map(({ text, offset }) => [text, offset]) };
}

test('what comes during a report goes with the next one, with its offset', async () => {
  const sent: [string, number][] = [];
  const first = Promise.withResolvers<void>();
  const stream = new DeltaStream(async ({ text, offset }) => {
    sent.push([text, offset]);
    if (sent.length === 1) await first.promise;
  }, failOnLog);
  stream.push('a');
  await expect.poll(() => sent).toHaveLength(1);
  stream.push('b');
  stream.push('c');
  first.resolve();
  await expect
    .poll(() => sent)
    .toEqual([
      ['a', 0],
      ['bc', 1],
    ]);
  expect(stream.text).toBe('abc');
});

test('an answer that is complete at once is not reported', async () => {
  const { sent, stream, answerId } = taking();
  stream.push('whole');
  await stream.finish();
  expect(sent).toEqual([]);
  expect(answerId.shown).toBeUndefined();
  expect(stream.text).toBe('whole');
});

test('finish waits for the report that is under way, and sends no other', async () => {
  const sent: string[] = [];
  const first = Promise.withResolvers<void>();
  const stream = new DeltaStream(async ({ text }) => {
    sent.push(text);
    await first.promise;
  }, failOnLog);
  stream.push('a');
  await expect.poll(() => sent).toHaveLength(1);
  stream.push('b');
  let isFinished = false;
  const finished = stream.finish().then(() => (isFinished = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFinished).toBe(false);
  first.resolve();
  await finished;
  expect(sent).toEqual(['a']);
});

test('a character that comes in two pieces is sent whole', async () => {
  const { stream, pieces } = taking();
  const [high, low] = ['🎌'.charAt(0), '🎌'.charAt(1)];
  stream.push(`a${high}`);
  await expect.poll(() => pieces()).toEqual([['a', 0]]);
  stream.push(`${low}b`);
  await expect
    .poll(() => pieces())
    .toEqual([
      ['a', 0],
      ['🎌b', 1],
    ]);
});

test('what the server did not take is sent again with the next piece', async () => {
  const sent: [string, number][] = [];
  let failures = 0;
  const stream = new DeltaStream(async ({ text, offset }) => {
    if (failures === 0) {
      failures += 1;
      throw new ToolUnreachable('away');
    }
    sent.push([text, offset]);
  }, failOnLog);
  stream.push('a');
  await expect.poll(() => failures).toBe(1);
  stream.push('b');
  await expect.poll(() => sent).toEqual([['ab', 0]]);
});

test('a refusal ends the reports, and the answer is whole all the same', async () => {
  const logged: string[] = [];
  let reports = 0;
  const stream = new DeltaStream(
    async () => {
      reports += 1;
      throw new ToolRefused('forbidden', 'no');
    },
    (sentence) => void logged.push(sentence),
  );
  stream.push('a');
  await expect.poll(() => logged).toHaveLength(1);
  stream.push('b');
  await stream.finish();
  expect(reports).toBe(1);
  expect(stream.text).toBe('ab');
});

test('an answer that is cut back is shown again under another id, from its beginning', async () => {
  const { sent, stream, answerId, pieces } = taking();
  stream.push('One. Tw');
  await expect.poll(() => sent).toHaveLength(1);
  expect(stream.truncate(5)).toBe(true);
  stream.push('Two.');
  await expect.poll(() => pieces().at(-1)).toEqual(['One. Two.', 0]);
  expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(2);
  expect(answerId.shown).toBe(sent.at(-1)?.messageId);
  expect(stream.text).toBe('One. Two.');
});

test('cutting back what was not reported yet needs no other id', async () => {
  const { stream, pieces } = taking();
  stream.push('One. Tw');
  expect(stream.truncate(5)).toBe(false);
  stream.push('Two.');
  await expect.poll(() => pieces()).toEqual([['One. Two.', 0]]);
});
