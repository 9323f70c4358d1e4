import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('the delay doubles with each failure up to the longest', () => {
  const delays = [0, 1, 2, 3, 9].map((failures) => backoffMs(failures, { firstMs: 500, longestMs: 3_000 }));
  expect(delays).toEqual([500, 1_000, 2_000, 3_000, 3_000]);
});
