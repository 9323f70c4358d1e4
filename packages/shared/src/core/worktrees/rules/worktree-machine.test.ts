import { describe, expect, test } from 'vitest';
import { needsWorktree } from './needs-worktree.ts';
import {
  applyReport,
  decideWorktree,
  isUndecided,
  WORKTREE_OUTCOMES,
  WORKTREE_STATES,
  type WorktreeSnapshot,
  type WorktreeState,
} from './worktree-machine.ts';

const worktree = (state: WorktreeState, order: WorktreeSnapshot['order'] = null): WorktreeSnapshot => ({
  state,
  order,
});

describe('a decision', () => {
  test.each(['created', 'conflict'] as const)(
    'is ordered for a worktree that is %s, once its run is over',
    (state) => {
      expect(decideWorktree(worktree(state), 'keep', true)).toEqual({ type: 'order' });
      expect(decideWorktree(worktree(state), 'keep', false)).toEqual({
        type: 'refused',
        code: 'run_not_ended',
      });
      // A look is no decision.
      expect(decideWorktree(worktree(state, 'look'), 'discard', true)).toEqual({ type: 'order' });
    },
  );

  test('the same again is the same, another one is refused: while it is carried out, and after', () => {
    const refused = { type: 'refused', code: 'changes_already_decided' };
    expect(decideWorktree(worktree('created', 'keep'), 'keep', true)).toEqual({ type: 'same' });
    expect(decideWorktree(worktree('created', 'keep'), 'discard', true)).toEqual(refused);
    expect(decideWorktree(worktree('kept'), 'keep', true)).toEqual({ type: 'same' });
    expect(decideWorktree(worktree('kept'), 'discard', true)).toEqual(refused);
    expect(decideWorktree(worktree('discarded'), 'discard', true)).toEqual({ type: 'same' });
    for (const state of ['unchanged', 'lost'] as const)
      expect(decideWorktree(worktree(state), 'keep', true)).toEqual(refused);
  });
});

describe('a report', () => {
  test('that answers the order ends it; a report of its own accord does not', () => {
    expect(applyReport(worktree('created', 'keep'), { outcome: 'seen', answersOrder: false })).toEqual(
      worktree('created', 'keep'),
    );
    expect(applyReport(worktree('created', 'keep'), { outcome: 'conflict', answersOrder: true })).toEqual(
      worktree('conflict'),
    );
    expect(applyReport(worktree('conflict', 'keep'), { outcome: 'failed', answersOrder: true })).toEqual(
      worktree('conflict'),
    );
    expect(applyReport(worktree('conflict', 'look'), { outcome: 'seen', answersOrder: true })).toEqual(
      worktree('conflict'),
    );
    expect(applyReport(worktree('created', 'look'), { outcome: 'unchanged', answersOrder: false })).toEqual(
      worktree('unchanged'),
    );
  });

  test('never leaves a final state', () => {
    for (const state of WORKTREE_STATES.filter((one) => !isUndecided(one)))
      for (const outcome of WORKTREE_OUTCOMES)
        expect(applyReport(worktree(state, 'keep'), { outcome, answersOrder: true })).toEqual(
          worktree(state),
        );
  });
});

test('only runs that work with files get a worktree, and only where the project says so', () => {
  expect(needsWorktree('worktree', { worksInFolder: true })).toBe(true);
  expect(needsWorktree('worktree', { worksInFolder: false })).toBe(false);
  expect(needsWorktree('shared', { worksInFolder: true })).toBe(false);
});
