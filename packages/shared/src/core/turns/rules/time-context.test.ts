import { expect, test } from 'vitest';
import { localTime, timeContext } from './time-context.ts';

const at = new Date('2026-01-10T05:06:59.789Z');

test.each([
  ['Asia/Tokyo', '2026-01-10T14:06:59+09:00'],
  ['UTC', '2026-01-10T05:06:59+00:00'],
  ['America/St_Johns', '2026-01-10T01:36:59-03:30'],
  ['Pacific/Kiritimati', '2026-01-10T19:06:59+14:00'],
])('a time is written as in %s, with its offset', (zone, text) => {
  expect(localTime(at, zone)).toBe(text);
  expect(new Date(localTime(at, zone)).getTime()).toBe(Math.floor(at.getTime() / 1_000) * 1_000);
});

test('midnight is hour 0', () => {
  expect(localTime(new Date('2026-01-09T15:00:00Z'), 'Asia/Tokyo')).toBe('2026-01-10T00:00:00+09:00');
});

test('the offset is that of the moment, not of today', () => {
  expect(localTime(new Date('2026-07-01T00:00:00Z'), 'Europe/Berlin')).toBe('2026-07-01T02:00:00+02:00');
  expect(localTime(new Date('2026-01-01T00:00:00Z'), 'Europe/Berlin')).toBe('2026-01-01T01:00:00+01:00');
});

test('the gap is whole seconds since the last chat, never negative, null without one', () => {
  expect(timeContext(at, new Date('2026-01-10T04:50:00Z'), 'Asia/Tokyo')).toEqual({
    now: '2026-01-10T14:06:59+09:00',
    last_chat_created_at: '2026-01-10T13:50:00+09:00',
    gap_seconds: 1_019,
  });
  expect(timeContext(at, new Date(at.getTime() + 5_000), 'UTC').gap_seconds).toBe(0);
  expect(timeContext(at, null, 'UTC')).toMatchObject({ last_chat_created_at: null, gap_seconds: null });
});
