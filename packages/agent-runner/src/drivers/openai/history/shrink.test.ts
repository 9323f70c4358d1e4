import { expect, test } from 'vitest';
import { type Entry, emptySource, type SourceHistory, type TurnRecord } from './records.ts';
import { shrink } from './shrink.ts';
import { toMessages } from './to-messages.ts';
import { tokensOf } from './tokens.ts';

function turn(said: string, answer: string, result?: string): TurnRecord {
  const entries: Entry[] = [{ role: 'user', text: said }];
  if (result !== undefined) {
    const call = { id: 'call_1', tool: 'list_tasks', input: {} };
    entries.push({ role: 'assistant', text: '', calls: [call] });
    entries.push({ role: 'tool', callId: 'call_1', tool: 'list_tasks', text: result });
  }
  entries.push({ role: 'assistant', text: answer });
  return { messageIds: [said], isOpen: false, entries };
}

function history(...records: TurnRecord[]): SourceHistory {
  return { ...emptySource(), records };
}

const tokens = ({ records }: SourceHistory) => tokensOf(records.flatMap(({ entries }) => entries));
const texts = ({ records }: SourceHistory) =>
  records.flatMap(({ entries }) => entries.map(({ text }) => text));

test('what fits stays as it is', () => {
  const source = history(turn('one', 'first'), turn('two', 'second', 'x'.repeat(5_000)));
  const before = structuredClone(source);
  shrink(source, undefined, tokens(source));
  expect(source).toEqual(before);
});

test('results of old turns are shortened before a word of anybody is left out', () => {
  const source = history(turn('one', 'first', 'x'.repeat(5_000)), turn('two', 'second', 'y'.repeat(5_000)));
  shrink(source, source.records[1], 2_500);
  expect(texts(source).filter((text) => text !== '')).toEqual([
    'one',
    expect.stringMatching(/^x+ … \(cut: 5000 characters in all\)$/),
    'first',
    'two',
    'y'.repeat(5_000),
    'second',
  ]);
  expect(tokens(source)).toBeLessThanOrEqual(2_500);
});

test('then the oldest turns are left out, and the note says which', () => {
  const source = history(...['one', 'two', 'three'].map((said) => turn(`${said} ${'x'.repeat(700)}`, said)));
  const current = source.records[2];
  shrink(source, current, 300);
  expect(source.records).toEqual([current]);
  expect(source.leftOut).toEqual({
    messages: 4,
    excerpts: [expect.stringMatching(/^one x/), expect.stringMatching(/^two x/)],
  });
  if (!current) throw new Error('there are three');
  expect(toMessages(source, current)[0]).toMatchObject({
    role: 'user',
    content: expect.stringMatching(/^\[4 older messages are left out.*\n- one x[\s\S]*three x/),
  });
});

test('a turn that waits for a result is never left out', () => {
  const waiting = { ...turn('one', ''), isOpen: true };
  const source = history(waiting, turn('two', 'x'.repeat(3_000)), turn('three', 'third'));
  shrink(source, source.records[2], 100);
  expect(source.records.map(({ messageIds }) => messageIds[0])).toEqual(['one', 'three']);
});

test('a turn that is too long by itself is shortened: its results first, then what was said', () => {
  const source = history(turn('あ'.repeat(20_000), 'first', 'x'.repeat(9_000)));
  shrink(source, source.records[0], 3_000);
  expect(tokens(source)).toBeLessThanOrEqual(3_000);
  expect(texts(source).map((text) => text.length > 0)).toEqual([true, false, true, true]);
});

function toolTurn(question: string, input: Record<string, unknown>, result: string): TurnRecord {
  return {
    messageIds: ['now'],
    isOpen: true,
    entries: [
      { role: 'user', text: question },
      {
        role: 'assistant',
        text: '',
        reasoning: 'r'.repeat(5_000),
        calls: [{ id: 'c', tool: 'create_task', input }],
      },
      { role: 'tool', callId: 'c', tool: 'create_task', text: result },
    ],
  };
}

test.each([
  ['a text', { title: 't', description: 'z'.repeat(200_000) }],
  ['a list', { title: 't', tags: Array.from({ length: 50_000 }, (_, index) => index) }],
  ['many texts', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 'value']))],
])('huge arguments of a call (%s) cost neither the history nor the question', (_, input) => {
  const question = 'Q'.repeat(3_000);
  const current = toolTurn(question, input, 'refused');
  const source = history(turn('My name is Aiko.', 'Hello Aiko.'), current);
  shrink(source, current, 20_000);
  expect(source.records).toHaveLength(2);
  expect(current.entries[0]?.text).toBe(question);
  expect(tokens(source)).toBeLessThanOrEqual(20_000);
});

test('what the person has said is shortened last', () => {
  const question = 'Q'.repeat(3_000);
  const current = toolTurn(question, { description: 'z'.repeat(9_000) }, 'x'.repeat(9_000));
  current.entries.push({ role: 'assistant', text: 'a'.repeat(9_000) });
  shrink(history(current), current, 1_300);
  expect(current.entries[0]?.text).toBe(question);
  shrink(history(current), current, 800);
  expect(current.entries[0]?.text).toHaveLength(1562);
});

test('the arguments of a call without its result stay: it may still be carried out', () => {
  const waiting = toolTurn('one', { description: 'z'.repeat(9_000) }, '');
  waiting.entries.pop();
  const current = turn('two', 'second');
  shrink(history(waiting, current), current, 100);
  expect(waiting.entries[1]).toMatchObject({ calls: [{ input: { description: 'z'.repeat(9_000) } }] });
});
