import fc from 'fast-check';
import { expect, test } from 'vitest';
import { positionBetween } from './task-place.ts';

test('a position lies between its neighbours, or the column is spread', () => {
  const numbers = fc.double({ noNaN: true, min: -1e10, max: 1e10 });
  fc.assert(
    fc.property(numbers, numbers, (one, other) => {
      const [above, below] = one < other ? [one, other] : [other, one];
      const position = positionBetween(above, below, 0);
      if (position === 'spread') expect(below - above).toBeLessThan(1e-4);
      else expect(above < position && position < below).toBe(true);
    }),
  );
});

test('the first of a column stands above all, the last below all, one alone at the end', () => {
  expect(positionBetween(null, 5, 100)).toBeLessThan(5);
  expect(positionBetween(200, null, 100)).toBeGreaterThan(200);
  expect(positionBetween(20, null, 100)).toBe(100);
  expect(positionBetween(null, null, 100)).toBe(100);
});
