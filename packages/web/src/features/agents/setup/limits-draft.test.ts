import { updateAgentBodySchema } from '@aizuchi/shared/contract/agent';
import { expect, test } from 'vitest';
import { limitsDraftOf, parallelOf, shareOf, tokensOf } from './limits-draft.ts';

const draft = (dailyTokenLimit: string, maxParallelTasks = '1') => ({ dailyTokenLimit, maxParallelTasks });

test.each([
  ['', null],
  ['0', null],
  ['400000', 400_000],
  ['400,000', 400_000],
  ['400.000', 400_000],
  ['４００，０００', 400_000],
  ['1 000 000', 1_000_000],
  ['1.5', undefined],
  ['2,50', undefined],
  ['１．５', undefined],
  ['-1', undefined],
  ['many', undefined],
  ['1e6', undefined],
  ['1000000000001', undefined],
])('%j as a limit of tokens is %j', (text, tokens) => {
  expect(tokensOf(draft(text))).toBe(tokens);
  if (tokens !== undefined)
    expect(updateAgentBodySchema.safeParse({ dailyTokenLimit: tokens }).success).toBe(true);
});

test.each([
  ['1', 1],
  [' ２０ ', 20],
  ['', undefined],
  ['0', undefined],
  ['21', undefined],
  ['1.5', undefined],
])('%j tasks at once are %j', (text, tasks) => {
  expect(parallelOf(draft('', text))).toBe(tasks);
  if (tasks !== undefined)
    expect(updateAgentBodySchema.safeParse({ maxParallelTasks: tasks }).success).toBe(true);
});

test('what is stored is what the form shows, in the way of the language', () => {
  expect(limitsDraftOf({ dailyTokenLimit: 400_000, maxParallelTasks: 2 }, 'en')).toEqual(
    draft('400,000', '2'),
  );
  expect(limitsDraftOf({ maxParallelTasks: 1 }, 'ja')).toEqual(draft(''));
});

test('the share of a limit is never more than the whole', () => {
  expect([shareOf(0, 10), shareOf(5, 10), shareOf(25, 10)]).toEqual([0, 0.5, 1]);
});
