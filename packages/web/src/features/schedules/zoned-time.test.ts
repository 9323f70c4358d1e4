import { expect, test } from 'vitest';
import { zonedTime } from './zoned-time.ts';

const AT = new Date('2026-11-29T15:05:00Z');

test.each(['en', 'ja'])('five minutes after midnight is 0:05, not 24:05 (%s)', (locale) => {
  expect(zonedTime(AT, AT, locale, 'Asia/Tokyo')).toMatch(/\b0?0:05$/);
});
