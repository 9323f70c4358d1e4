import { describe, expect, it } from 'vitest';
import { crashBackoffMs, decideExitCause, EXIT_CAUSES, isCrash } from './run-machine.ts';

const report = { exitCode: null, signal: null, error: null };
const run = { stopRequested: false, processStarted: true, workUndone: false };

describe('why a process ended', () => {
  it.each([
    ['left with 0 and nothing to do', run, { ...report, exitCode: 0 }, 'finished'],
    ['left with 0 while somebody waits', { ...run, workUndone: true }, { ...report, exitCode: 0 }, 'crashed'],
    ['left with 7', run, { ...report, exitCode: 7 }, 'crashed'],
    ['died by a signal', run, { ...report, signal: 'SIGSEGV' }, 'crashed'],
    ['exit code 0 and a signal', run, { ...report, exitCode: 0, signal: 'SIGTERM' }, 'crashed'],
    ['nobody knows how', run, report, 'crashed'],
    [
      'could not be started',
      { ...run, processStarted: false },
      { ...report, error: 'ENOENT' },
      'could_not_start',
    ],
    [
      'its guard could not begin it',
      { ...run, workUndone: true },
      { ...report, error: 'no right', neverBegan: true },
      'could_not_start',
    ],
    ['an error after it ran', run, { ...report, error: 'watch failed' }, 'crashed'],
    [
      'we asked for it',
      { ...run, stopRequested: true, workUndone: true },
      { ...report, signal: 'SIGKILL' },
      'killed',
    ],
    [
      'we asked for it before it could start',
      { ...run, stopRequested: true, processStarted: false },
      { ...report, error: 'cancelled' },
      'killed',
    ],
  ] as const)('%s', (_, state, exit, cause) => {
    expect(decideExitCause(state, exit)).toBe(cause);
  });
});

it('counts only crashes and failed starts as "in a row"', () => {
  expect(EXIT_CAUSES.filter(isCrash)).toEqual(['crashed', 'could_not_start']);
});

it('waits 1, 2, 4 … at most 60 s before the next start', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 40].map(crashBackoffMs)).toEqual([
    1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
  ]);
});
