import { expect, test } from 'vitest';
import { WarmingQuota } from './warming-quota.ts';

test('a few in a minute, for each key', () => {
  const quota = new WarmingQuota(2);
  expect([0, 1, 2].map((at) => quota.take('a', at))).toEqual([true, true, false]);
  expect(quota.take('b', 2)).toBe(true);
  // A refusal is not counted.
  expect(quota.take('a', 60_000)).toBe(true);
  expect(quota.take('a', 60_000)).toBe(false);
  expect(quota.take('a', 60_001)).toBe(true);
});
