import { expect, test } from 'vitest';
import { durationOf, withPresent } from './durations.ts';

test.each([
  [0, 'seconds', 0],
  [45, 'seconds', 45],
  [90, 'seconds', 90],
  [300, 'minutes', 5],
  [5_400, 'minutes', 90],
  [7_200, 'hours', 2],
] as const)('%i seconds are given in %s: %i', (seconds, unit, count) => {
  expect(durationOf(seconds)).toEqual({ unit, count });
});

test('a value that is not among the choices is added', () => {
  expect(withPresent([60, 300], 120)).toEqual([60, 120, 300]);
  expect(withPresent([60, 300], 300)).toEqual([60, 300]);
});
