import { expect, test } from 'vitest';
import { repeatsNewer } from './repeated-failure.ts';

const crash = {
  agentId: 'agt_a',
  exitCause: 'crashed',
  exitCode: 7,
  stderrTail: 'no configuration',
} as const;

test('only the newest of several runs with the same failure shows the reason', () => {
  const runs = [crash, { agentId: 'agt_b' }, crash, crash];
  expect(runs.map((_run, index) => repeatsNewer(runs, index))).toEqual([false, false, true, true]);
});

test.each([
  ['another agent', { ...crash, agentId: 'agt_b' }],
  ['another exit code', { ...crash, exitCode: 1 }],
  ['other output', { ...crash, stderrTail: 'out of memory' }],
  ['no failure', { agentId: 'agt_a' }],
])('a newer run with %s does not hide the reason of this one', (_name, newer) => {
  expect(repeatsNewer([newer, crash], 1)).toBe(false);
});
