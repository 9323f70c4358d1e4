import { describe, expect, test } from 'vitest';
import { quietUntil } from './quiet-hours.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const night = { from: 22 * 60, to: 7 * 60, days: EVERY_DAY };
const end = (timeZone: string, now: string, quiet = night) =>
  quietUntil({ ...quiet, timeZone }, new Date(now))?.toISOString();

test('over night, in the time zone of the person', () => {
  expect(end('Asia/Tokyo', '2026-11-28T12:59:00Z')).toBeUndefined();
  expect(end('Asia/Tokyo', '2026-11-28T13:00:00Z')).toBe('2026-11-28T22:00:00.000Z');
  expect(end('Asia/Tokyo', '2026-11-28T21:59:30Z')).toBe('2026-11-28T22:00:00.000Z');
  expect(end('Asia/Tokyo', '2026-11-28T22:00:00Z')).toBeUndefined();
});

test('only on the days on which they begin', () => {
  // 2026-11-28 is a Saturday.
  const friday = { ...night, days: [5] };
  expect(end('UTC', '2026-11-28T06:00:00Z', friday)).toBe('2026-11-28T07:00:00.000Z');
  expect(end('UTC', '2026-11-28T22:00:00Z', friday)).toBeUndefined();
});

test('the same begin and end are no quiet hours', () => {
  expect(end('UTC', '2026-11-28T10:00:00Z', { from: 600, to: 600, days: EVERY_DAY })).toBeUndefined();
});

describe('nights in which the clocks are changed', () => {
  test('put forward: an hour shorter', () => {
    // Berlin, 2026-03-29: 02:00 becomes 03:00.
    expect(end('Europe/Berlin', '2026-03-28T21:30:00Z')).toBe('2026-03-29T05:00:00.000Z');
  });
  test('put back: an hour longer', () => {
    // Berlin, 2026-10-25: 03:00 becomes 02:00.
    expect(end('Europe/Berlin', '2026-10-24T20:30:00Z')).toBe('2026-10-25T06:00:00.000Z');
  });
  test('an end that the clocks leave out is when they are put forward', () => {
    const early = { from: 22 * 60, to: 2 * 60 + 30, days: EVERY_DAY };
    expect(end('Europe/Berlin', '2026-03-28T21:30:00Z', early)).toBe('2026-03-29T01:00:00.000Z');
  });
});
