import { describe, expect, it } from 'vitest';
import { decideUsageRange } from '../core/usage/rules/usage-range.ts';
import { agentUsageQuerySchema, usageQuerySchema } from './usage.ts';

describe('a bound of a report', () => {
  it.each([
    { to: '0000-01-05' },
    { from: '0000-01-01', to: '0000-01-02' },
    { to: '0001-01-10' },
    { to: '1969-12-31' },
    { from: '9999-12-01', to: '9999-12-31' },
    { from: '9999-12-31T00:00:00Z', to: '9999-12-31T23:59:59-12:00' },
  ])('in a year that has no report is refused: %j', (query) => {
    expect(usageQuerySchema.safeParse(query).success).toBe(false);
    expect(agentUsageQuerySchema.safeParse(query).success).toBe(false);
  });

  it.each([
    { to: '1970-01-01' },
    { to: '1970-01-01T00:00:00+14:00' },
    { from: '2999-12-31T23:59:59-12:00' },
    { from: '2999-01-01', to: '2999-12-31' },
  ])('in any other year has one, or is refused as a range: %j', (query) => {
    const { from, to } = usageQuerySchema.parse(query);
    const decision = decideUsageRange({ from, to }, { now: new Date('2026-11-26'), timeZone: 'Asia/Tokyo' });
    const fourDigits = /^\d{4}-\d\d-\d\d$/;
    if (decision.ok)
      expect(decision.range).toEqual({
        from: expect.stringMatching(fourDigits),
        to: expect.stringMatching(fourDigits),
      });
    else expect(decision.refusal).toBe('ends_before_it_begins');
  });
});
