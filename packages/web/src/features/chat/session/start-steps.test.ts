import { expect, test } from 'vitest';
import { stepMs, stepOf, withStep } from './start-steps.ts';

const at = '2026-11-21T10:00:00.000Z';

test('each step has its own time, and the current one counts up', () => {
  const times = withStep(withStep(withStep({}, 'queued', 1_000), 'picked_up', 1_100), 'sign_in', 1_700);
  expect(
    ['queued', 'picked_up', 'sign_in', 'ready'].map((step) => stepMs(times, step as 'queued', 3_100)),
  ).toEqual([100, 600, 1_400, undefined]);
});

test('a new start drops the times of the previous one; a step that was not observed has no time', () => {
  expect(withStep({ queued: 1, sign_in: 2 }, 'picked_up', 9)).toEqual({ picked_up: 9 });
  const times = withStep(withStep({}, 'queued', 1), 'sign_in', 5);
  expect(stepMs(times, 'picked_up', 9)).toBeUndefined();
  expect(stepMs(times, 'queued', 9)).toBe(4);
});

test('the step is what the server says', () => {
  const session = { chat: 0, task: 0, since: at };
  expect(stepOf({ ...session, chatStatus: 'starting', phase: 'sign_in' })).toBe('sign_in');
  expect(stepOf({ ...session, chatStatus: 'starting', phase: 'trying_again' })).toBe('queued');
  expect(stepOf({ ...session, chatStatus: 'starting', phase: 'pulling', pullPercent: 40 })).toBe('picked_up');
  expect(stepOf({ ...session, chatStatus: 'ready' })).toBeUndefined();
});
