import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideTaskChange, movesFrom, TASK_MOVES, type TaskState } from './task-machine.ts';
import { TASK_STATUSES, type TaskStatus } from './task-status.ts';

/** Contract §3, written a second time: a changed cell of the table must be a changed line here. */
const CONTRACT: Record<TaskStatus, TaskStatus[]> = {
  backlog: ['todo', 'cancelled'],
  todo: ['backlog', 'in_progress', 'cancelled'],
  in_progress: ['todo', 'blocked', 'done', 'cancelled'],
  blocked: ['todo', 'in_progress', 'cancelled'],
  done: ['todo'],
  cancelled: ['backlog'],
};

const statuses = fc.constantFrom(...TASK_STATUSES);
const assignees = fc.option(fc.constantFrom('agt_one', 'agt_two'), { nil: null });
const states: fc.Arbitrary<TaskState> = fc.record({
  status: statuses,
  assigneeId: assignees,
  version: fc.integer({ min: 1, max: 1_000 }),
});

describe('status machine', () => {
  test.each(TASK_STATUSES)('%s goes exactly where the contract allows', (status) => {
    expect(movesFrom(status).toSorted()).toEqual(CONTRACT[status].toSorted());
    expect(TASK_MOVES[status][status]).toBe(true);
  });

  test('a change is accepted exactly when its version is the stored one and the move is allowed', () => {
    fc.assert(
      fc.property(
        states,
        fc.option(statuses, { nil: undefined }),
        fc.option(assignees, { nil: undefined }),
        fc.integer({ min: -1, max: 1 }),
        (state, status, assigneeId, drift) => {
          const decision = decideTaskChange(state, { version: state.version + drift, status, assigneeId });
          const isAllowed =
            status === undefined || status === state.status || CONTRACT[state.status].includes(status);
          if (drift !== 0) expect(decision).toEqual({ ok: false, refusal: 'version_conflict' });
          else if (!isAllowed) expect(decision).toEqual({ ok: false, refusal: 'invalid_status_transition' });
          else
            expect(decision.ok && decision.value.next).toEqual({
              status: status ?? state.status,
              assigneeId: assigneeId === undefined ? state.assigneeId : assigneeId,
              version: state.version + 1,
            });
        },
      ),
    );
  });

  test('a random history contains only allowed moves, and every version once', () => {
    fc.assert(
      fc.property(states, fc.array(statuses, { maxLength: 40, size: 'max' }), (start, wishes) => {
        let state = start;
        for (const status of wishes) {
          const decision = decideTaskChange(state, { version: state.version, status });
          if (!decision.ok) continue;
          const { next } = decision.value;
          expect(next.version).toBe(state.version + 1);
          expect([state.status, ...CONTRACT[state.status]]).toContain(next.status);
          state = next;
        }
      }),
    );
  });

  test('without a version nothing is accepted', () => {
    const state = { status: 'todo', assigneeId: null, version: 1 } as const;
    expect(decideTaskChange(state, { status: 'backlog' })).toEqual({
      ok: false,
      refusal: 'version_conflict',
    });
  });
});

describe('work for agents', () => {
  const at = (status: TaskStatus, assigneeId: string | null): TaskState => ({
    status,
    assigneeId,
    version: 1,
  });
  const changed = (state: TaskState, command: { status?: TaskStatus; assigneeId?: string | null }) => {
    const decision = decideTaskChange(state, { version: 1, ...command });
    return decision.ok && decision.value.workChanged;
  };

  test.each([
    ['begins', at('todo', 'agt_one'), { status: 'in_progress' }, true],
    ['stops', at('in_progress', 'agt_one'), { status: 'blocked' }, true],
    ['passes to another', at('in_progress', 'agt_one'), { assigneeId: 'agt_two' }, true],
    ['is nobody’s', at('todo', null), { status: 'in_progress' }, false],
    ['stays', at('in_progress', 'agt_one'), {}, false],
    ['is not yet begun', at('backlog', 'agt_one'), { status: 'todo' }, false],
  ] as const)('%s', (_name, state, command, expected) => {
    expect(changed(state, command)).toBe(expected);
  });
});
