import { describe, expect, it } from 'vitest';
import { isGood, type Outcome, summaryOf, tableOf } from './report.ts';

const outcome = (row: number, verdict: Outcome['verdict'], happened = 'refused'): Outcome => ({
  row,
  name: `attack ${row}`,
  happened,
  verdict,
});

describe('a probe passes', () => {
  it('when no attack succeeded, and at least one was tried', () => {
    expect(isGood([outcome(1, 'ok'), outcome(2, 'not here')])).toBe(true);
  });

  it('not when one attack succeeded', () => {
    expect(isGood([outcome(1, 'ok'), outcome(2, 'FAILED')])).toBe(false);
  });

  it.each([[[]], [[outcome(1, 'not here')]]])('not when nothing was tried: %j', (outcomes) => {
    expect(isGood(outcomes)).toBe(false);
  });
});

it('the table is in the order of its rows, each on one line, for any answer of the product', () => {
  const outcomes = [
    outcome(12, 'FAILED', 'a | b\n\u202ec'),
    outcome(2, 'ok'),
    outcome(7, 'not here', 'needs root'),
  ];
  expect(tableOf(outcomes).split('\n')).toEqual([
    '| # | attack | what happened | verdict |',
    '| --- | --- | --- | --- |',
    '| 2 | attack 2 | refused | ok |',
    '| 7 | attack 7 | needs root | not here |',
    '| 12 | attack 12 | a \\| b c | FAILED |',
  ]);
  expect(summaryOf(outcomes, 61_400)).toBe('1 ok, 1 FAILED, 1 not here, in 61 s.');
});

it('a long answer is cut', () => {
  expect(tableOf([outcome(1, 'FAILED', 'x'.repeat(5_000))]).length).toBeLessThan(1_000);
});
