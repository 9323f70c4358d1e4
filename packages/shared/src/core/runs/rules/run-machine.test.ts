import { describe, expect, it } from 'vitest';
import {
  crashBackoffMs,
  decideExitCause,
  EXIT_CAUSES,
  isCrash,
  type LeftWork,
  leavesWorkUndone,
} from './run-machine.ts';

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

describe('whether a process that ends leaves work undone', () => {
  const resident: LeftWork = {
    purpose: 'chat',
    isPerWork: false,
    held: false,
    unread: false,
    isWithheld: false,
    liveConversation: false,
    hasRead: true,
    followsOldEnd: false,
  };
  const perWork: LeftWork = { ...resident, isPerWork: true };

  it.each<[string, LeftWork, withZero: boolean, withAnother: boolean]>([
    ['resident: everything answered', resident, false, false],
    ['resident: a message unread', { ...resident, unread: true }, true, true],
    ['resident: in a conversation', { ...resident, liveConversation: true }, true, true],
    ['resident: a message held', { ...resident, held: true }, true, true],
    [
      'resident: it follows an end that a message took back',
      { ...resident, unread: true, hasRead: false, followsOldEnd: true },
      false,
      true,
    ],
    ['a message held, whatever it follows', { ...resident, held: true, followsOldEnd: true }, true, true],
    ['a task', { ...perWork, purpose: 'task' }, true, true],
    ['per work: everything answered', perWork, false, false],
    ['per work: a message came after it had answered', { ...perWork, unread: true }, false, true],
    ['per work: fetched nothing of what waits', { ...perWork, unread: true, hasRead: false }, true, true],
    [
      'per work: what waits was withheld from it',
      { ...perWork, unread: true, isWithheld: true, hasRead: false },
      false,
      true,
    ],
    [
      'resident: what waits was withheld from it',
      { ...resident, unread: true, isWithheld: true },
      true,
      true,
    ],
    ['per work: nothing waits any more', { ...perWork, hasRead: false }, false, false],
    ['per work: fetched, not answered', { ...perWork, held: true }, true, true],
    ['per work: the partner writes next', { ...perWork, liveConversation: true }, false, true],
  ])('%s', (_, left, withZero, withAnother) => {
    expect(leavesWorkUndone(left, true)).toBe(withZero);
    expect(leavesWorkUndone(left, false)).toBe(withAnother);
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
