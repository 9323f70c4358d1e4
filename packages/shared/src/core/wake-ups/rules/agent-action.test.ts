import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentActionView, decideAgentAction } from './agent-action.ts';
import type { PurposeSnapshot } from './wake-up-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const TTL_MS = 300_000;
const row: PurposeSnapshot = {
  createdAt: T0,
  startedAt: null,
  notBefore: null,
  failedStarts: 0,
  heldSince: null,
  heldMs: 0,
};
const view: AgentActionView = {
  assigned: true,
  projectStatus: 'active',
  row,
  session: null,
  hasFreePlace: true,
  hasInProgressTask: false,
  hasBlockedTask: false,
};
const told = { state: 'terminating', toldAt: T0 } as const;
const untold = { state: 'terminating', toldAt: null } as const;
const active = { state: 'active', toldAt: null } as const;
const start = { action: 'start', reason: 'has_pending_purpose' };
const hold = (reason: string) => ({ action: 'hold', reason });
const rest = (heldFor: string, reason = heldFor) => ({ action: 'hold', reason, heldFor });

describe('what a Coordinator is told for a pair', () => {
  it.each<[string, Partial<AgentActionView>, object]>([
    ['a waiting row', {}, start],
    ['not a member', { assigned: false }, hold('agent_not_assigned')],
    ['an archived project', { projectStatus: 'archived' }, hold('agent_not_assigned')],
    ['an active session', { session: active }, hold('already_running')],
    ['an active session without a row', { session: active, row: null }, hold('already_running')],
    [
      'trap 1: a terminating session that nobody was told of is live',
      { session: untold },
      rest('session_ending', 'already_running'),
    ],
    ['a told session with a row', { session: told }, rest('session_ending')],
    ['a told session without a row', { session: told, row: null }, hold('no_pending_work')],
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
    ['no free place', { hasFreePlace: false }, rest('capacity')],
    [
      'no free place for a start that is under way',
      { hasFreePlace: false, row: { ...row, startedAt: at(1) } },
      hold('spawn_in_progress'),
    ],
    ['nothing at all', { row: null }, hold('no_pending_work')],
    [
      'a task of a paused project',
      { row: null, hasInProgressTask: true, projectStatus: 'paused' },
      hold('project_paused'),
    ],
    ['only a blocked task', { row: null, hasBlockedTask: true }, hold('blocked_without_in_progress')],
    [
      'a blocked task beside a running one',
      { row: null, hasBlockedTask: true, hasInProgressTask: true },
      hold('no_pending_work'),
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
    expect(decideAgentAction({ ...view, ...change }, at(1), TTL_MS)).toEqual(expected);
  });

  it('never starts without a waiting row, a free place and nothing running (I-6)', () => {
    const anyView: fc.Arbitrary<AgentActionView> = fc.record({
      assigned: fc.boolean(),
      projectStatus: fc.constantFrom('active', 'paused', 'archived'),
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
      session: fc.option(fc.constantFrom(active, untold, told)),
      hasFreePlace: fc.boolean(),
      hasInProgressTask: fc.boolean(),
      hasBlockedTask: fc.boolean(),
    });
    fc.assert(
      fc.property(anyView, (any) => {
        if (decideAgentAction(any, at(1), TTL_MS).action !== 'start') return;
        expect(any).toMatchObject({
          assigned: true,
          session: null,
          hasFreePlace: true,
          row: { startedAt: null },
        });
        expect(any.projectStatus).not.toBe('archived');
      }),
      { numRuns: 2_000 },
    );
  });
});
