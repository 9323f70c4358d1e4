import { describe, expect, it } from 'vitest';
import { decideStartFailure, isExpired, type WakeUpSnapshot, wakeUpAgeMs } from './wake-up-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const row: WakeUpSnapshot = {
  createdAt: T0,
  startedAt: null,
  notBefore: null,
  failedStarts: 0,
  heldSince: null,
  heldMs: 0,
};
const TTL_MS = 10_000;

describe('the TTL of a wake-up', () => {
  it.each([
    ['one millisecond before it', row, 9.999, false],
    ['at it', row, 10, true],
    ['trap 4: started late, it runs from the start', { ...row, startedAt: at(5) }, 14.999, false],
    ['trap 4: started, it still runs out', { ...row, startedAt: at(5) }, 15, true],
    ['held now: the clock rests', { ...row, heldSince: at(4) }, 1_000, false],
    ['was held for 30 s: that does not count', { ...row, heldMs: 30_000 }, 39.999, false],
    ['was held for 30 s: the rest counts', { ...row, heldMs: 30_000 }, 40, true],
    ['held twice', { ...row, heldMs: 30_000, heldSince: at(35) }, 500, false],
    [
      'a hold before the start does not lengthen the start',
      { ...row, startedAt: at(50), heldMs: 45_000 },
      60,
      true,
    ],
  ])('%s', (_, snapshot, seconds, expired) => {
    expect(isExpired(snapshot, at(seconds), TTL_MS)).toBe(expired);
  });

  it('its age excludes the time for which it was held', () => {
    expect(wakeUpAgeMs({ ...row, heldMs: 2_000, heldSince: at(8) }, at(60))).toBe(6_000);
  });
});

describe('a start that ended before authenticate', () => {
  it('is tried again after 1 s and 2 s, then given up', () => {
    expect([0, 1, 2, 3].map((failedStarts) => decideStartFailure({ failedStarts }, T0))).toEqual([
      { retry: true, failedStarts: 1, notBefore: at(1) },
      { retry: true, failedStarts: 2, notBefore: at(2) },
      { retry: false },
      { retry: false },
    ]);
  });
});
