import { expect, test } from 'vitest';
import { repeatsNewer } from './repeated-failure.ts';

const crash = {
  agentId: 'agt_a',
  exitCause: 'crashed',
  exitCode: 7,
  stderrTail: 'no configuration',
} as const;

test('tries that failed alike say why once, the newest of them', () => {
  const runs = [crash, { agentId: 'agt_b' }, crash, crash];
  expect(runs.map((_run, index) => repeatsNewer(runs, index))).toEqual([false, false, true, true]);
});

test.each([
  ['another agent', { ...crash, agentId: 'agt_b' }],
  ['another exit code', { ...crash, exitCode: 1 }],
  ['other last words', { ...crash, stderrTail: 'out of memory' }],
  ['a run that lives', { agentId: 'agt_a' }],
])('%s between or above says why by itself', (_name, newer) => {
  expect(repeatsNewer([newer, crash], 1)).toBe(false);
});
