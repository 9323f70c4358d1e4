import { expect, test } from 'vitest';
import { EXIT_CAUSES } from '../../runs/rules/run-machine.ts';
import { type EarlierRun, isTakenOver } from './take-over.ts';
import { WORKTREE_STATES } from './worktree-machine.ts';

const crashed: EarlierRun = {
  exitCause: 'crashed',
  wasAskedToEnd: false,
  hasLeftWork: true,
  wasForTask: false,
};
const untouched = { state: 'created', order: null, decidedBy: null } as const;

test('the worktree of a run that was interrupted in its work is taken over, one that was asked to end or is done not', () => {
  const causes = EXIT_CAUSES.filter((exitCause) => isTakenOver(untouched, { ...crashed, exitCause }));
  expect(causes).toEqual(['crashed', 'killed', 'stalled', 'lost']);
  for (const exitCause of EXIT_CAUSES)
    expect(isTakenOver(untouched, { ...crashed, exitCause, wasAskedToEnd: true })).toBe(false);
  expect(isTakenOver(untouched, { ...crashed, hasLeftWork: false }), 'it waits for a person').toBe(false);
  expect(isTakenOver(untouched, { ...crashed, exitCause: null }), 'it lives').toBe(false);
});

test('that of a task is taken over however its run ended', () => {
  for (const exitCause of EXIT_CAUSES)
    expect(isTakenOver(untouched, { ...crashed, exitCause, wasAskedToEnd: true, wasForTask: true })).toBe(
      true,
    );
  expect(isTakenOver(untouched, { ...crashed, exitCause: null, wasForTask: true }), 'it lives').toBe(false);
  expect(isTakenOver({ ...untouched, decidedBy: 'owner' }, { ...crashed, wasForTask: true })).toBe(false);
});

test('nobody has decided about it, or tried to', () => {
  const states = WORKTREE_STATES.filter((state) => isTakenOver({ ...untouched, state }, crashed));
  expect(states).toEqual(['created', 'unchanged']);
  expect(isTakenOver({ ...untouched, order: 'look' }, crashed), 'a look is no decision').toBe(true);
  expect(isTakenOver({ ...untouched, order: 'keep', decidedBy: 'owner' }, crashed)).toBe(false);
  expect(isTakenOver({ ...untouched, decidedBy: 'owner' }, crashed), 'it has failed').toBe(false);
});
