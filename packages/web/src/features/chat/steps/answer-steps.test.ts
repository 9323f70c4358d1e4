import type { Step } from '@aizuchi/shared/contract/step';
import { expect, test } from 'vitest';
import { NO_STEPS, stepMs, withList, withStep } from './answer-steps.ts';

const step = (id: string, status: Step['status'], title = id): Step => ({ id, kind: 'tool', title, status });

test('a step is updated in its place, and its time is that from the first to the last frame', () => {
  let known = withStep(NO_STEPS, step('a', 'running'), 1_000, 1);
  known = withStep(known, step('b', 'running'), 2_000, 2);
  expect(stepMs(known, 'a', 5_000)).toBe(4_000);
  known = withStep(known, step('a', 'done', 'A'), 3_000, 3);
  known = withStep(known, step('a', 'done', 'A'), 9_000, 4);
  expect(known.steps.map(({ id, title, status }) => [id, title, status])).toEqual([
    ['a', 'A', 'done'],
    ['b', 'b', 'running'],
  ]);
  expect(stepMs(known, 'a', 10_000)).toBe(2_000);
});

test('a step that was seen only when it was over has no time', () => {
  const known = withStep(NO_STEPS, step('a', 'done'), 1_000, 1);
  expect(stepMs(known, 'a', 2_000)).toBeUndefined();
  const listed = withStep(withList(NO_STEPS, [step('b', 'running')], 0), step('b', 'done'), 5_000, 1);
  expect(stepMs(listed, 'b', 6_000)).toBeUndefined();
});

test('a list does not undo later frames, and keeps its order', () => {
  let known = withStep(NO_STEPS, step('b', 'running'), 1_000, 1);
  known = withStep(known, step('b', 'done', 'B'), 2_000, 5);
  known = withStep(known, step('c', 'running'), 2_000, 6);
  const merged = withList(known, [step('a', 'done'), step('b', 'running')], 4);
  expect(merged.steps.map(({ id, title }) => [id, title])).toEqual([
    ['a', 'a'],
    ['b', 'B'],
    ['c', 'c'],
  ]);
  expect(merged.isRead).toBe(true);
});

test('a list replaces what frames said before it was requested', () => {
  const known = withStep(NO_STEPS, step('a', 'running'), 1_000, 1);
  expect(withList(known, [step('a', 'failed')], 3).steps).toEqual([step('a', 'failed')]);
});
