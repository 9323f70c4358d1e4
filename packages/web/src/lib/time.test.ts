import { describe, expect, test } from 'vitest';
import { clockTime, dayOf, exactTime, relativeTime, stopwatch } from './time.ts';

const now = new Date('2026-11-21T12:00:00Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

describe('relative times', () => {
  test.each([
    [5, 'now', '今'],
    [65, '1m ago', '1 分前'],
    [7_300, '2h ago', '2 時間前'],
    [90_000, 'yesterday', '昨日'],
  ])('%i seconds ago', (seconds, en, ja) => {
    expect(relativeTime(before(seconds), now, 'en')).toBe(en);
    expect(relativeTime(before(seconds), now, 'ja').replace(/(\d)\s*/, '$1 ')).toBe(ja);
  });

  test('a day is one of the calendar: yesterday is not the day before', () => {
    const wednesday = new Date(2026, 10, 18, 8);
    expect(relativeTime(new Date(2026, 10, 16, 9), wednesday, 'ja')).toBe('一昨日');
    expect(relativeTime(new Date(2026, 10, 17, 7), wednesday, 'ja')).toBe('昨日');
    expect(relativeTime(new Date(2026, 10, 16, 9), wednesday, 'en')).toBe('2d ago');
    expect(relativeTime(new Date(2026, 10, 20, 7), wednesday, 'en')).toBe('in 2d');
  });

  test('after a week the day is shown, with the year when it is not the current one', () => {
    expect(relativeTime(new Date(2026, 10, 1, 12), now, 'en')).toBe('Nov 1');
    expect(dayOf(new Date(2025, 2, 4, 12), now, 'en')).toBe('Mar 4, 2025');
  });
});

test('the exact time has 24 hours, as all other times of the page', () => {
  expect(exactTime(new Date(2026, 0, 2, 14, 5, 7), 'en')).toBe('Jan 2, 2026, 14:05:07');
});

test.each(['en', 'ja'])('the first minutes of a day are 00, not 24 or 12 AM (%s)', (locale) => {
  const early = new Date(2026, 10, 30, 0, 5, 9);
  expect(clockTime(early, locale)).toBe('00:05');
  expect(exactTime(early, locale)).toMatch(/\b0?0:05:09$/);
});

test.each([
  [0, '0.0'],
  [2_149, '2.1'],
  [12_900, '12'],
  [252_000, '4:12'],
  [8_940_000, '2:29:00'],
])('a stopwatch shows %i ms as %s', (ms, text) => {
  expect(stopwatch(ms)).toBe(text);
});

test('a stopwatch with 0 digits has no tenths', () => {
  expect(stopwatch(3_400, 0)).toBe('3');
});
