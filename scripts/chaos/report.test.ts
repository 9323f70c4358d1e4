import { describe, expect, it } from 'vitest';
import { add, isGood, nothing, type RoundResult, tableOf } from './report.ts';

const round = (name: string, more: Partial<RoundResult> = {}): RoundResult => ({
  name,
  faults: 2,
  recoveriesMs: [400, 1_200],
  sum: { ...nothing, acknowledged: 10 },
  ...more,
});

describe('a run passes', () => {
  it('when messages were repeated with a mark, or failed with a reason', () => {
    expect(isGood({ ...nothing, acknowledged: 9, repeated: 3, failed: 1 })).toBe(true);
  });

  it.each(['lost', 'doubled', 'unseen', 'orphans'] as const)('not when anything is %s', (key) => {
    expect(isGood(add(nothing, { ...nothing, [key]: 1 }))).toBe(false);
  });

  it('not when an invariant does not hold', () => {
    expect(isGood(add({ ...nothing, violations: ['I-2: …'] }, nothing))).toBe(false);
  });
});

it('the table sums all rounds, and shows why a round was not tried', () => {
  const untried = round('memory', { faults: 0, recoveriesMs: [], sum: nothing, absent: 'not there' });
  const lines = tableOf([round('a'), untried, round('b', { recoveriesMs: [3_000, 200] })]).split('\n');
  expect(lines.slice(2)).toEqual([
    '| a | 2 | 10 | 0 | 0 | 0 | 0 | 0 | 0 | 0.4 / 1.2 s |',
    '| memory | – (not there) | – | – | – | – | – | – | – | – |',
    '| b | 2 | 10 | 0 | 0 | 0 | 0 | 0 | 0 | 0.2 / 3.0 s |',
    '| all | 4 | 20 | 0 | 0 | 0 | 0 | 0 | 0 | 0.4 / 3.0 s |',
  ]);
});
