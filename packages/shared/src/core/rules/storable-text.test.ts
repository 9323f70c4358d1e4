import { expect, test } from 'vitest';
import { beginningOf, endOf, storableText } from './storable-text.ts';

test.each([
  ['', 3, '', ''],
  ['abc', 5, 'abc', 'abc'],
  ['abcdef', 3, 'abc', 'def'],
  ['😀😀a', 2, '😀', 'a'],
  ['a😀😀', 2, 'a', '😀'],
  ['😀', 0, '', ''],
])('the beginning and the end of %j with at most %i units', (text, length, beginning, end) => {
  expect(beginningOf(text, length)).toBe(beginning);
  expect(endOf(text, length)).toBe(end);
});

test('what a model wrote becomes storable', () => {
  expect(storableText('a\u0000b\ud83d')).toBe('a\ufffdb\ufffd');
});
