import { describe, expect, test } from 'vitest';
import { daysShown } from './shown-days.ts';
import { barHeight, everyDay, totalOf } from './usage-days.ts';

const row = (key: string, inputTokens: number, costUsd?: number) => ({
  key,
  messages: 1,
  inputTokens,
  outputTokens: 1,
  cacheReadTokens: 2,
  durationMs: 10,
  ...(costUsd !== undefined && { costUsd }),
});

test('each day of the range has an entry, over the end of a month', () => {
  expect(everyDay([row('2026-12-01', 9)], '2026-11-29', '2026-12-02')).toEqual([
    { day: '2026-11-29', tokens: 0 },
    { day: '2026-11-30', tokens: 0 },
    { day: '2026-12-01', tokens: 10 },
    { day: '2026-12-02', tokens: 0 },
  ]);
});

describe('the total', () => {
  test('has the cost of the rows whose cost is known', () => {
    const total = totalOf([row('a', 1, 0.5), row('b', 2), row('c', 3, 0.25)]);
    expect(total).toEqual({
      messages: 3,
      inputTokens: 6,
      outputTokens: 3,
      cacheReadTokens: 6,
      durationMs: 30,
      costUsd: 0.75,
    });
    expect(totalOf([row('a', 1)])).not.toHaveProperty('costUsd');
  });
});

test('a bar is as high as its share, and never too low to be seen', () => {
  expect([barHeight(0, 10), barHeight(5, 10), barHeight(1, 1_000), barHeight(0, 0)]).toEqual([
    0, 0.5, 0.03, 0,
  ]);
});

test('the last days end today, or where the server is a day ahead', () => {
  const here = { now: new Date('2026-11-26T12:00:00.000Z'), timeZone: 'UTC' };
  const days = (...used: string[]) =>
    daysShown(
      used.map((day) => row(day, 1)),
      2,
      here,
    ).map(({ day }) => day);
  expect(days('2026-11-01')).toEqual(['2026-11-25', '2026-11-26']);
  expect(days('2026-11-27')).toEqual(['2026-11-26', '2026-11-27']);
});
