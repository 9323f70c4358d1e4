import { expect, test } from 'vitest';
import { initialOf } from './initial.ts';

test.each([
  ['Analysis Worker', 'A'],
  ['docs', 'D'],
  ['高橋', '高'],
  ['👩🏽‍🚀 Pilot', '👩🏽‍🚀'],
  ['  が', 'が'],
  ['', '?'],
])('%s is shown as %s', (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});
