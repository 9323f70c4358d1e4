import { expect, test } from 'vitest';
import { countdown } from './countdown.ts';

test.each([
  [0, '0:00'],
  [1, '0:01'],
  [59_001, '1:00'],
  [251_200, '4:12'],
  [3_600_000, '1:00:00'],
  [3_723_000, '1:02:03'],
])('%i ms are %s', (ms, text) => {
  expect(countdown(ms)).toBe(text);
});
