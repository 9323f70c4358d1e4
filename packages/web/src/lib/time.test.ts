import { expect, test } from 'vitest';
import { clockTime, exactTime } from './time.ts';

/** Five minutes after midnight, wherever the test runs. */
const EARLY = new Date(2026, 10, 30, 0, 5, 9);

test.each(['en', 'ja'])('the first minutes of a day are 00, not 24 or 12 AM (%s)', (locale) => {
  expect(clockTime(EARLY, locale)).toBe('00:05');
  expect(exactTime(EARLY, locale)).toMatch(/\b0?0:05:09$/);
});
