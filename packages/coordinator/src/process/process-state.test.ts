import { expect, test } from 'vitest';
import { RUN_ERRORS } from '../texts/run-errors.ts';
import { judgeExit, type ProcessEnd } from './process-state.ts';

const END: ProcessEnd = { exitCode: null, signal: null, stopRequested: false, stderrTail: 'last words' };
const NO_FOLDER = RUN_ERRORS.en.directoryMissing('/srv/x');

test.each<[string, Partial<ProcessEnd>, string]>([
  ['code 0', { exitCode: 0 }, 'finished'],
  ['another code', { exitCode: 3 }, 'crashed'],
  ['a signal that we did not send', { signal: 'SIGSEGV' }, 'crashed'],
  ['our signal', { signal: 'SIGTERM', stopRequested: true }, 'killed'],
  ['a clean end after our signal', { exitCode: 0, stopRequested: true }, 'killed'],
  ['a fault before it began', { exitCode: 126, startError: NO_FOLDER }, 'could_not_start'],
])('%s', (_what, end, cause) => {
  expect(judgeExit({ ...END, ...end })).toMatchObject({ cause, stderrTail: 'last words' });
});

test('the exit code of the guard is not taken for the agent’s', () => {
  expect(judgeExit({ ...END, exitCode: 126, startError: NO_FOLDER })).toMatchObject({
    exitCode: null,
    error: NO_FOLDER,
  });
});
