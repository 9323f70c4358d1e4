import { describe, expect, it } from 'vitest';
import { addDays, dayOf, endOfDay } from './local-day.ts';

const at = (text: string) => new Date(text);

describe('the day of an instant', () => {
  it.each([
    ['2026-11-26T14:59:59.999Z', 'Asia/Tokyo', '2026-11-26'],
    ['2026-11-26T15:00:00.000Z', 'Asia/Tokyo', '2026-11-27'],
    ['2026-11-26T15:00:00.000Z', 'UTC', '2026-11-26'],
    ['2026-01-01T04:59:59.999Z', 'America/New_York', '2025-12-31'],
  ])('%s in %s is %s', (instant, timeZone, day) => {
    expect(dayOf(at(instant), timeZone)).toBe(day);
  });
});

describe('the end of the day', () => {
  it.each([
    ['2026-11-26T03:00:00.000Z', 'Asia/Tokyo', '2026-11-26T15:00:00.000Z'],
    ['2026-11-26T15:00:00.000Z', 'Asia/Tokyo', '2026-11-27T15:00:00.000Z'],
    // 23 and 25 hours.
    ['2026-03-08T05:00:00.000Z', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01T04:00:00.000Z', 'America/New_York', '2026-11-02T05:00:00.000Z'],
    // Midnight does not exist: the day begins at one o'clock.
    ['2018-11-03T12:00:00.000Z', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    // A date that was left out.
    ['2011-12-29T12:00:00.000Z', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s in %s ends at %s', (instant, timeZone, end) => {
    expect(endOfDay(at(instant), timeZone)).toEqual(at(end));
    expect(dayOf(at(end), timeZone)).not.toBe(dayOf(at(instant), timeZone));
  });
});

it('counts days over months and leap days', () => {
  expect(addDays('2026-11-26', 0)).toBe('2026-11-26');
  expect(addDays('2028-03-01', -1)).toBe('2028-02-29');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
});
