import fc from 'fast-check';
import { expect, it } from 'vitest';
import { searchPlanSchema } from '../../../contract/memory.ts';
import { rulePlan, withoutPhrases } from './rule-plan.ts';
import { timeHintOf } from './time-hint.ts';

const NOW = new Date('2026-05-08T10:00:00Z');
const modeOf = (text: string) => rulePlan(text, NOW).plan.mode;
/** The middle of what is meant, without what is added on both sides. */
const meant = (text: string) =>
  timeHintOf(text, NOW).spans.map(({ from, to }) => {
    const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    return [iso(from.getTime() + 43_200_000), iso(to.getTime() - 43_200_000 - 3 * 86_400_000)];
  });

it('a question is searched broadly, a remark by association, a named time by time', () => {
  expect(modeOf('Where does Ann live?')).toBe('targeted_broad');
  expect(modeOf('猫の名前は何')).toBe('targeted_broad');
  expect(modeOf('I feel tired')).toBe('associative_recent');
  expect(modeOf('今日は疲れた')).toBe('explicit_about_time');
  expect(modeOf('2019年の旅行')).toBe('explicit_about_time');
  expect(rulePlan('高校の時の部活は？', NOW).plan.time_hint.life_stage_hint).toBe('high');
});

it('reads days, months, years and relative times of both languages', () => {
  expect(meant('on 8 May, 2023')).toEqual([['2023-05-08', '2023-05-09']]);
  expect(meant('May 8th 2023')).toEqual([['2023-05-08', '2023-05-09']]);
  expect(meant('2023年5月8日')).toEqual([['2023-05-08', '2023-05-09']]);
  expect(meant('2023-05-08')).toEqual([['2023-05-08', '2023-05-09']]);
  expect(meant('in August 2025')).toEqual([['2025-08-01', '2025-09-01']]);
  expect(meant('in 2022')).toEqual([['2022-01-01', '2023-01-01']]);
  expect(meant('昨日')).toEqual([['2026-05-07', '2026-05-08']]);
  expect(meant('2 weeks ago')).toEqual([['2026-04-20', '2026-04-28']]);
  expect(meant('去年')).toEqual([['2025-01-01', '2026-01-01']]);
  expect(meant('3月').map(([from]) => from)).toEqual(['2026-03-01', '2025-03-01', '2024-03-01']);
});

it('takes other words for no time', () => {
  for (const text of ['you may march on', 'room 2023b', '13月', 'call 090-2020-1234', 'version 5.8'])
    expect(meant(text), text).toEqual([]);
});

it('leaves out the phrases of a question, unless nothing else is left', () => {
  expect(withoutPhrases('沙織の猫について教えてください')).toBe('沙織の猫');
  expect(withoutPhrases('Do you remember the kind of violin?')).toBe('the kind of violin?');
  expect(withoutPhrases('教えて')).toBe('教えて');
});

it('asks no half characters of a long text', () => {
  const [query = ''] = rulePlan(`${'😀'.repeat(1_000)}a`, NOW).plan.queries;
  expect(query.isWellFormed()).toBe(true);
  expect(query).toHaveLength(1_999);
});

it('the plan of any text is one that the contract allows', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(searchPlanSchema.safeParse(rulePlan(text, NOW).plan).success).toBe(true);
    }),
  );
});
