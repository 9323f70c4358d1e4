import { describe, expect, it } from 'vitest';
import { firstTime, nextTime } from './schedule-times.ts';

const times = (cron: string, timeZone: string, after: string, count: number) => {
  const found: string[] = [];
  let from = new Date(after);
  for (let index = 0; index < count; index += 1) {
    const next = nextTime(cron, timeZone, from);
    if (next === null) break;
    found.push(next.toISOString().slice(0, 16));
    from = next;
  }
  return found;
};

describe('times of a schedule', () => {
  it('they follow the clock of their zone', () => {
    expect(times('0 9 * * 1-5', 'Asia/Tokyo', '2026-11-20T00:00:00Z', 2)).toEqual([
      '2026-11-23T00:00',
      '2026-11-24T00:00',
    ]);
    expect(times('0 9 * * *', 'UTC', '2026-11-20T09:00:00Z', 1)).toEqual(['2026-11-21T09:00']);
    expect(times('@daily', 'Asia/Tokyo', '2026-11-20T00:00:00Z', 1)).toEqual(['2026-11-20T15:00']);
  });

  it('a time that the clock skips comes right after the skipped hour', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  it('a time that the clock shows twice comes once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it.each([
    ['nonsense', 'every morning'],
    ['four fields', '0 9 * *'],
    ['seconds', '0 0 9 * * *'],
    ['a minute beyond the hour', '61 * * * *'],
    ['a step of nothing', '*/0 * * * *'],
    ['a date', '2030-01-23T00:00:00'],
    ['an unknown nickname', '@never'],
    ['a day that never comes', '0 0 31 2 *'],
  ])('%s is refused with a sentence', (_name, cron) => {
    expect(() => firstTime(cron, 'Asia/Tokyo', new Date(0))).toThrow(/^cron: .+\.$/);
  });

  it.each(['Mars/Olympus', '', 'Asia'])('%o is not a time zone', (timeZone) => {
    expect(() => firstTime('0 9 * * *', timeZone, new Date(0))).toThrow(/^timeZone: /);
  });
});
