import type { SearchItem } from '@aizuchi/shared/contract/search';
import { expect, test } from 'vitest';
import { commandScore, hitGroups, hitValue, nextFilter, partsOf, rowPart, searchWords } from './hits.ts';

const item = (kind: SearchItem['kind'], id: string): SearchItem => ({
  kind,
  id,
  title: '',
  titleMarks: [],
  text: '',
  marks: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  score: 1,
  hitSources: [],
});

test('all kinds are shown in one order, a few of each; one kind is shown completely', () => {
  const items = [
    item('task', 't'),
    ...Array.from({ length: 9 }, (_, n) => item('chat', `c${n}`)),
    item('memory', 'm'),
  ];
  expect(hitGroups(items, 'all').map(({ kind, items: shown }) => [kind, shown.length])).toEqual([
    ['memory', 1],
    ['task', 1],
    ['chat', 5],
  ]);
  expect(hitGroups(items, 'chat').map(({ kind, items: shown }) => [kind, shown.length])).toEqual([
    ['chat', 9],
  ]);
  expect(hitGroups(items, 'conversation')).toEqual([]);
});

test('Tab goes through the kinds of which there is something, and around', () => {
  const counts = { memory: 2, task: 0, chat: 1, conversation: 0 };
  expect(nextFilter('all', counts, 1)).toBe('memory');
  expect(nextFilter('memory', counts, 1)).toBe('chat');
  expect(nextFilter('chat', counts, 1)).toBe('all');
  expect(nextFilter('all', counts, -1)).toBe('chat');
});

test('hits keep their order, after the commands that fit; letters that are strewn over a name do not fit', () => {
  const scoreOf = (value: string) => (value === 'inbox' ? 0.9 : 0.001);
  const scores = [
    commandScore('inbox', 'in', scoreOf),
    commandScore(hitValue(0, 0, { kind: 'memory', id: 'a' }), 'in', scoreOf),
    commandScore(hitValue(0, 1, { kind: 'memory', id: 'b' }), 'in', scoreOf),
    commandScore(hitValue(1, 0, { kind: 'task', id: 'c' }), 'in', scoreOf),
    commandScore('theme', 'in', scoreOf),
  ];
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(scores.at(-1)).toBe(0);
  expect(Math.min(...scores.slice(0, 4))).toBeGreaterThan(0);
});

test('after > there are commands only', () => {
  const scoreOf = (value: string, words: string) => (value.includes(words) ? 1 : 0);
  expect(searchWords('> inbox')).toBe('');
  expect(commandScore(hitValue(0, 0, { kind: 'task', id: 'inbox' }), '> inbox', scoreOf)).toBe(0);
  expect(commandScore('inbox', '> inbox', scoreOf)).toBe(1);
  expect(commandScore('theme', '>', scoreOf)).toBe(1);
});

test('a row begins shortly before the first mark, and its parts are the whole text', () => {
  const text = `${'x'.repeat(40)}\nneedle in hay`;
  const start = text.indexOf('needle');
  const row = rowPart(text, [{ start, end: start + 6 }]);
  expect(partsOf(row).map((part) => part.text)).toEqual(['…xxxxxxxxxxx ', 'needle', ' in hay']);
  expect(partsOf({ text: 'needle', marks: [] })).toEqual([{ text: 'needle', isMarked: false }]);
});
