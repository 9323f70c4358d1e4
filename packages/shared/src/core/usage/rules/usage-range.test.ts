import { describe, expect, it } from 'vitest';
import { decideUsageRange } from './usage-range.ts';

const NOW = { now: new Date('2026-11-26T16:00:00.000Z'), timeZone: 'Asia/Tokyo' };
const days = (from?: string, to?: string) => decideUsageRange({ from, to }, NOW);

describe('the days of a report', () => {
  it.each([
    [undefined, undefined, '2026-10-29', '2026-11-27'],
    ['2026-11-01', undefined, '2026-11-01', '2026-11-27'],
    [undefined, '2026-03-30', '2026-03-01', '2026-03-30'],
    ['2026-11-26', '2026-11-26', '2026-11-26', '2026-11-26'],
    // Instants stand for the days of the time zone that hold them.
    ['2026-11-25T15:00:00.000Z', '2026-11-26T15:00:00.000Z', '2026-11-26', '2026-11-26'],
    ['2026-11-25T14:59:59.999Z', '2026-11-26T15:00:00.001Z', '2026-11-25', '2026-11-27'],
    ['2026-11-26T00:00:00+09:00', '2026-11-27T00:00:00+09:00', '2026-11-26', '2026-11-26'],
    ['2025-11-27', '2026-11-27', '2025-11-27', '2026-11-27'],
  ])('%s to %s', (from, to, first, last) => {
    expect(days(from, to)).toEqual({ ok: true, range: { from: first, to: last } });
  });

  it('must not end before it begins, nor be longer than a year', () => {
    expect(days('2026-11-27', '2026-11-26')).toEqual({ ok: false, refusal: 'ends_before_it_begins' });
    expect(days('2025-11-26', '2026-11-27')).toEqual({ ok: false, refusal: 'too_long' });
  });
});
