import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TASK_STATUSES, type TaskStatus } from '../../tasks/rules/task-status.ts';
import { decideTaskWork, type WorkState, workerOf } from './task-work.ts';

const at = (status: TaskStatus, assigneeId: string | null = 'agt_one'): WorkState => ({ status, assigneeId });
const NOTHING = { end: null, begin: null };

describe('a task', () => {
  test.each([
    ['is made in progress', null, at('in_progress'), { end: null, begin: 'agt_one' }],
    ['is made elsewhere', null, at('todo'), NOTHING],
    ['is made for nobody', null, at('in_progress', null), NOTHING],
    ['begins', at('todo'), at('in_progress'), { end: null, begin: 'agt_one' }],
    ['begins again', at('blocked'), at('in_progress'), { end: null, begin: 'agt_one' }],
    ['stays', at('in_progress'), at('in_progress'), NOTHING],
    ['is not begun', at('backlog'), at('todo'), NOTHING],
  ] as const)('that %s', (_, before, after, expected) => {
    expect(decideTaskWork(before, after)).toEqual(expected);
  });

  test.each([
    ['done', at('done'), 'task_done', 'done'],
    ['blocked', at('blocked'), 'task_blocked', 'blocked'],
    ['cancelled', at('cancelled'), 'task_cancelled', 'cancelled'],
    ['deleted', null, 'task_cancelled', 'cancelled'],
    ['put back', at('todo'), 'task_reassigned', 'taken_away'],
    ['nobody’s', at('in_progress', null), 'task_reassigned', 'taken_away'],
  ] as const)('that is %s in the middle of the work', (_, after, reason, outcome) => {
    expect(decideTaskWork(at('in_progress'), after)).toEqual({
      end: { agentId: 'agt_one', reason, outcome },
      begin: null,
    });
  });

  test('that passes to another agent ends for the one and begins for the other', () => {
    expect(decideTaskWork(at('in_progress'), at('in_progress', 'agt_two'))).toEqual({
      end: { agentId: 'agt_one', reason: 'task_reassigned', outcome: 'taken_away' },
      begin: 'agt_two',
    });
  });

  test('ends for whom it was work, and begins for whom it is, whatever the change', () => {
    const states = fc.option(
      fc.record({
        status: fc.constantFrom(...TASK_STATUSES),
        assigneeId: fc.option(fc.constantFrom('agt_one', 'agt_two'), { nil: null }),
      }),
      { nil: null },
    );
    fc.assert(
      fc.property(states, states, (before, after) => {
        const { end, begin } = decideTaskWork(before, after);
        const [was, is] = [workerOf(before), workerOf(after)];
        expect([end?.agentId ?? null, begin]).toEqual(was === is ? [null, null] : [was, is]);
      }),
    );
  });
});
