import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentActionView, decideAgentAction, isForSignIn, type WorkView } from './agent-action.ts';
import type { WakeUpSnapshot } from './wake-up-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const TTL_MS = 300_000;
const row: WakeUpSnapshot = {
  createdAt: T0,
  startedAt: null,
  notBefore: null,
  failedStarts: 0,
  heldSince: null,
  heldMs: 0,
};
const chat: WorkView = {
  purpose: 'chat',
  row,
  session: null,
  hasPlace: true,
  isFolderTaken: false,
  isProcessLeft: false,
  isInProgress: false,
};
const task: WorkView = { ...chat, purpose: 'task', isInProgress: true };
const view: AgentActionView = {
  assigned: true,
  projectStatus: 'active',
  works: [chat],
  hasInProgressTask: false,
  hasBlockedTask: false,
  taskSlots: 2,
  isOverLimit: false,
};
const told = { state: 'terminating', acknowledgedAt: T0 } as const;
const unacknowledged = { state: 'terminating', acknowledgedAt: null } as const;
const active = { state: 'active', acknowledgedAt: null } as const;
const start = { action: 'start', reason: 'has_pending_purpose' };
const hold = (reason: string, heldFor: string | null = null) => ({
  action: 'hold',
  reason,
  rests: [{ heldFor }],
});
const rest = (heldFor: string, reason = heldFor) => hold(reason, heldFor);
const idle = (reason: string) => ({ action: 'hold', reason, rests: [] });

describe('the action that a Coordinator is given for a membership', () => {
  it.each<[string, Partial<AgentActionView & WorkView>, object]>([
    ['a waiting row', {}, start],
    ['not a member', { assigned: false }, hold('agent_not_assigned')],
    ['an archived project', { projectStatus: 'archived' }, hold('agent_not_assigned')],
    ['an active session', { session: active }, rest('session_ending', 'already_running')],
    ['an active session without a row', { session: active, row: null }, idle('already_running')],
    [
      'trap 1: a terminating session that nobody was told of is live',
      { session: unacknowledged },
      rest('session_ending', 'already_running'),
    ],
    ['a told session with a row', { session: told }, rest('session_ending')],
    ['a told session without a row', { session: told, row: null }, idle('no_pending_work')],
    [
      'a row that ends while the old session does',
      { session: told, row: { ...row, createdAt: at(-9_999) } },
      rest('session_ending'),
    ],
    ['a started row', { row: { ...row, startedAt: at(1) } }, hold('spawn_in_progress')],
    ['a row past its TTL', { row: { ...row, createdAt: at(-301) } }, { action: 'expire' }],
    ['trap 4: a started row past its TTL', { row: { ...row, startedAt: at(-301) } }, { action: 'expire' }],
    ['cooling down', { row: { ...row, notBefore: at(2) } }, rest('cooling_down')],
    ['cooled down', { row: { ...row, notBefore: at(1) } }, start],
    ['no free place', { hasPlace: false }, rest('capacity')],
    [
      'no free place for a start that is under way',
      { hasPlace: false, row: { ...row, startedAt: at(1) } },
      hold('spawn_in_progress'),
    ],
    ['the tokens of the day are used up', { isOverLimit: true }, { action: 'refuse' }],
    [
      'the same, past its TTL: the person is told the true reason',
      { isOverLimit: true, row: { ...row, createdAt: at(-301) } },
      { action: 'refuse' },
    ],
    [
      'the same, for a start that is under way',
      { isOverLimit: true, row: { ...row, startedAt: at(1) } },
      hold('spawn_in_progress'),
    ],
    ['the same, while an old session ends', { isOverLimit: true, session: told }, rest('session_ending')],
    ['a task whose agent has used its tokens', { ...task, isOverLimit: true }, rest('usage_limit')],
    ['nothing waits, and the tokens are used up', { row: null, isOverLimit: true }, idle('no_pending_work')],
    ['another agent works in the folder', { isFolderTaken: true }, rest('folder_in_use')],
    [
      'the same, without a place: no session is evicted for it',
      { isFolderTaken: true, hasPlace: false },
      rest('folder_in_use'),
    ],
    ['nothing at all', { row: null }, idle('no_pending_work')],
    [
      'a task of a paused project',
      { row: null, hasInProgressTask: true, projectStatus: 'paused' },
      idle('project_paused'),
    ],
    ['only a blocked task', { row: null, hasBlockedTask: true }, idle('blocked_without_in_progress')],
    [
      'a blocked task beside a running one',
      { row: null, hasBlockedTask: true, hasInProgressTask: true },
      idle('no_pending_work'),
    ],
    ['trap 11: a paused project does not block the chat', { projectStatus: 'paused' }, start],
    [
      'trap 11: a blocked task does not block the chat',
      { hasBlockedTask: true, hasInProgressTask: false },
      start,
    ],
    [
      'trap 11: paused, with a task under way',
      { projectStatus: 'paused', hasInProgressTask: true, hasBlockedTask: true },
      start,
    ],
  ])('%s', (_, change, expected) => {
    const works = [{ ...chat, ...change }];
    expect(decideAgentAction({ ...view, works, ...change }, at(1), TTL_MS)).toMatchObject(expected);
  });
});

describe('chat and tasks of a membership are independent (trap 7)', () => {
  const live = { ...chat, row: null, session: active };
  const other = { ...task, row: { ...row, createdAt: at(-1) } };
  const startTask = (work: WorkView) => ({ action: 'start', reason: 'has_in_progress_task', work });
  it.each<[string, WorkView[], object, Partial<AgentActionView>?]>([
    ['the chat goes first', [chat, task], { ...start, work: chat }],
    ['a live chat blocks no task', [live, task], startTask(task)],
    [
      'nor does a chat that cools down; its clock rests',
      [{ ...chat, row: { ...row, notBefore: at(9) } }, task],
      { ...startTask(task), rests: [{ heldFor: 'cooling_down' }] },
    ],
    ['nor one whose session ends', [{ ...chat, session: told }, task], startTask(task)],
    ['a live task blocks neither the chat', [chat, { ...task, session: active }], { ...start, work: chat }],
    ['nor another task', [live, { ...task, session: active, row: null }, other], startTask(other)],
    [
      'the same task is not started twice',
      [live, { ...task, row: { ...row, startedAt: at(0) } }],
      hold('spawn_in_progress'),
    ],
    [
      'a start under way does not hide what waits',
      [
        { ...chat, row: { ...row, startedAt: at(0) } },
        { ...task, row: { ...row, notBefore: at(9) } },
      ],
      { action: 'hold', reason: 'cooling_down', rests: [{ heldFor: null }, { heldFor: 'cooling_down' }] },
    ],
    [
      'room is made for whoever lacks nothing else',
      [
        { ...chat, row: { ...row, notBefore: at(9) } },
        { ...task, hasPlace: false },
      ],
      { action: 'hold', reason: 'capacity', rests: [{ heldFor: 'cooling_down' }, { heldFor: 'capacity' }] },
    ],
    [
      'nor as long as a process of it is left',
      [live, { ...task, isProcessLeft: true }],
      rest('session_ending'),
    ],
    ['nor is one that is not in progress', [live, { ...task, isInProgress: false }], hold('no_pending_work')],
    ['a paused project holds tasks', [live, task], hold('project_paused'), { projectStatus: 'paused' }],
    [
      'without a place each row of them waits for one',
      [
        { ...chat, hasPlace: false },
        { ...task, hasPlace: false },
      ],
      { action: 'hold', reason: 'capacity', rests: [{ heldFor: 'capacity' }, { heldFor: 'capacity' }] },
    ],
    [
      'a task above the limit of its agent waits, and holds no chat',
      [{ ...live, row, session: null, hasPlace: false }, task],
      { action: 'hold', reason: 'capacity', rests: [{ heldFor: 'capacity' }, { heldFor: 'task_limit' }] },
      { taskSlots: 0 },
    ],
    [
      'as many tasks wait for a place as may begin',
      [live, { ...task, hasPlace: false }, { ...other, hasPlace: false }],
      { action: 'hold', reason: 'capacity', rests: [{ heldFor: 'capacity' }, { heldFor: 'task_limit' }] },
      { taskSlots: 1 },
    ],
    [
      'a task that cannot start takes no other one its turn',
      [live, { ...task, row: { ...row, notBefore: at(9) } }, other],
      startTask(other),
      { taskSlots: 1 },
    ],
    [
      'a task past its time is expired before another one starts',
      [live, { ...task, row: { ...row, createdAt: at(-301) } }, other],
      { action: 'expire', work: { row: { createdAt: at(-301) } } },
    ],
  ])('%s', (_, works, expected, change = {}) => {
    expect(decideAgentAction({ ...view, works, ...change }, at(1), TTL_MS)).toMatchObject(expected);
  });

  it('never starts without a waiting row, a free place and nothing running (I-6)', () => {
    const anyWork: fc.Arbitrary<WorkView> = fc.record({
      purpose: fc.constantFrom('chat', 'task'),
      hasPlace: fc.boolean(),
      isFolderTaken: fc.boolean(),
      isProcessLeft: fc.boolean(),
      isInProgress: fc.boolean(),
      row: fc.option(
        fc.record({
          createdAt: fc.integer({ min: -600, max: 1 }).map(at),
          startedAt: fc.option(fc.integer({ min: -600, max: 1 }).map(at)),
          notBefore: fc.option(fc.integer({ min: -5, max: 5 }).map(at)),
          failedStarts: fc.nat(3),
          heldSince: fc.option(fc.integer({ min: -600, max: 1 }).map(at)),
          heldMs: fc.nat(600_000),
        }),
      ),
      session: fc.option(fc.constantFrom(active, unacknowledged, told)),
    });
    const anyView: fc.Arbitrary<AgentActionView> = fc.record({
      assigned: fc.boolean(),
      projectStatus: fc.constantFrom('active', 'paused', 'archived'),
      works: fc.array(anyWork, { maxLength: 4 }),
      hasInProgressTask: fc.boolean(),
      hasBlockedTask: fc.boolean(),
      taskSlots: fc.integer({ min: -1, max: 2 }),
      isOverLimit: fc.boolean(),
    });
    fc.assert(
      fc.property(anyView, (any) => {
        const decision = decideAgentAction(any, at(1), TTL_MS);
        if (decision.action !== 'start') return;
        const { work } = decision;
        expect([any.assigned, any.isOverLimit]).toEqual([true, false]);
        expect(work).toMatchObject({
          session: null,
          hasPlace: true,
          isFolderTaken: false,
          isProcessLeft: false,
          row: { startedAt: null },
        });
        expect(any.projectStatus).not.toBe('archived');
        if (work.purpose === 'task')
          expect([any.projectStatus, work.isInProgress, any.taskSlots > 0]).toEqual(['active', true, true]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a sign-in by passkey may take', () => {
  const started = { row: { ...row, startedAt: at(0) }, isProcessLeft: true };
  it.each<[string, boolean, WorkView, Partial<AgentActionView>?]>([
    ['a chat, also in a paused project', true, chat, { projectStatus: 'paused', taskSlots: 0 }],
    ['no chat that does not wait', false, { ...chat, row: null }],
    ['a task that waits', true, task],
    [
      'a task that cools down or has no place',
      true,
      { ...task, row: { ...row, notBefore: at(9) }, hasPlace: false },
    ],
    ['a task that was started: its process is stopped', true, { ...task, ...started }, { taskSlots: 0 }],
    ['no task that does not wait', false, { ...task, row: null }],
    ['no task of a paused project', false, task, { projectStatus: 'paused' }],
    ['nor one that was started there', false, { ...task, ...started }, { projectStatus: 'paused' }],
    ['no task that is not in progress', false, { ...task, isInProgress: false }],
    ['no task whose earlier process lives', false, { ...task, isProcessLeft: true }],
    ['no task whose session is ending', false, { ...task, session: told }],
    ['no task above the limit', false, task, { taskSlots: 0 }],
  ])('%s', (_, expected, work, change = {}) => {
    expect(isForSignIn(work, { ...view, ...change })).toBe(expected);
  });
});
