import { expect, test } from 'vitest';
import { continues } from './key-sequence.ts';

const g = { key: 'g', handledAt: 5_000 };

test('the second key of a sequence comes within a second', () => {
  expect(continues(g, 5_999)).toBe(true);
  expect(continues(g, 6_000)).toBe(false);
});

test('a key that waited while the page was busy with the first one goes on', () => {
  expect(continues(g, 3_100)).toBe(true);
});
