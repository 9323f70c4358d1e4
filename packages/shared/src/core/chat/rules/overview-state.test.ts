import { expect, test } from 'vitest';
import { overviewState } from './overview-state.ts';

test.each([
  ['ready', 0, false, 'ready'],
  ['none', 1, false, 'busy'],
  ['none', 1, true, 'waiting_for_person'],
  ['failed', 1, false, 'failed'],
  ['failed', 0, true, 'waiting_for_person'],
] as const)('chat %s, %i tasks, asks: %s → %s', (chatStatus, task, asks, expected) => {
  expect(overviewState({ chatStatus, task }, asks)).toBe(expected);
});
