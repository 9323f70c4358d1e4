import { describe, expect, test } from 'vitest';
import { decideVision, isOpen, statusAt, VISION_STATES, type VisionSnapshot } from './vision-machine.ts';

const at = (ms: number) => new Date(ms);
const request = (more: Partial<VisionSnapshot> = {}): VisionSnapshot => ({
  state: 'pending',
  expiresAt: at(100),
  claimedUntil: null,
  isAbandoned: false,
  ...more,
});

describe('the status of a request', () => {
  test.each([
    ['pending before its end', request(), 99, 'pending'],
    ['timed out from its end on', request(), 100, 'timeout'],
    ['being described', request({ state: 'describing', claimedUntil: at(50) }), 49, 'describing'],
    [
      'open again when the process is dead',
      request({ state: 'describing', claimedUntil: at(50) }),
      50,
      'pending',
    ],
    [
      'being described beyond its end',
      request({ state: 'describing', claimedUntil: at(150) }),
      120,
      'describing',
    ],
    [
      'timed out when that process is dead',
      request({ state: 'describing', claimedUntil: at(150) }),
      150,
      'timeout',
    ],
    ['cancelled when the session that asked has ended', request({ isAbandoned: true }), 99, 'cancelled'],
    [
      'being described all the same',
      request({ isAbandoned: true, state: 'describing', claimedUntil: at(50) }),
      49,
      'describing',
    ],
    ['described for ever', request({ state: 'described' }), 1_000, 'described'],
    ['declined for ever', request({ state: 'declined' }), 1_000, 'declined'],
  ] as const)('%s', (_what, snapshot, now, expected) => {
    expect(statusAt(snapshot, at(now))).toBe(expected);
  });
});

test('is answered once, and only while it is pending', () => {
  expect(decideVision(request(), 'claim', at(1))).toBe('describing');
  expect(decideVision(request(), 'decline', at(1))).toBe('declined');
  expect(decideVision(request(), 'claim', at(100))).toBeUndefined();
  expect(decideVision(request({ isAbandoned: true }), 'decline', at(1))).toBeUndefined();
  for (const state of VISION_STATES.filter((one) => one !== 'pending'))
    for (const command of ['claim', 'decline'] as const)
      expect(decideVision(request({ state, claimedUntil: at(50) }), command, at(1))).toBeUndefined();
});

test('is open until it is described, declined or too late', () => {
  expect((['pending', 'describing', 'described', 'declined', 'timeout'] as const).filter(isOpen)).toEqual([
    'pending',
    'describing',
  ]);
});
