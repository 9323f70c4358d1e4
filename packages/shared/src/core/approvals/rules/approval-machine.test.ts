import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalCommand, type ApprovalSnapshot, decideApproval } from './approval-machine.ts';
import { APPROVAL_DECISIONS, APPROVAL_KINDS, APPROVAL_STATES, STATE_OF_DECISION } from './approval-states.ts';
import { decideByPolicy, PERMISSION_POLICIES } from './permission-policy.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const open: ApprovalSnapshot = {
  state: 'pending',
  shownAt: T0,
  orphanedAt: null,
  offeredAt: null,
  inheritedAt: null,
  resolvedAt: null,
  acknowledgedAt: null,
  isOfSystem: false,
};
const orphaned = { ...open, orphanedAt: T0 };
const allowed: ApprovalSnapshot = { ...open, state: 'allowed_once', resolvedAt: T0 };
const inherited: ApprovalSnapshot = { ...allowed, inheritedAt: at(30) };
const expire = { type: 'expire', timeoutMs: 300_000 } as const;
const claim = { type: 'claim', sessionId: 'ses_2', isAsked: true } as const;
const decide = (decision: (typeof APPROVAL_DECISIONS)[number]) => ({ type: 'decide', decision }) as const;
const cancel = { type: 'cancel', reason: 'session_ended' } as const;

describe('the transitions of an approval', () => {
  it.each<[string, ApprovalSnapshot, ApprovalCommand, number, string | object]>([
    ['allowed once', open, decide('allow_once'), 1, { to: 'allowed_once' }],
    ['allowed for the session', open, decide('allow_session'), 1, { to: 'allowed_session' }],
    ['denied', open, decide('deny'), 1, { to: 'denied' }],
    ['the second decision', allowed, decide('deny'), 1, 'already_resolved'],
    ['a decision after the time-out', { ...open, state: 'timeout' }, decide('deny'), 1, 'already_resolved'],
    ['in time', open, expire, 299, 'not_due'],
    ['out of time', open, expire, 300, { to: 'timeout' }],
    ['no time-out', open, { ...expire, timeoutMs: 0 }, 1e6, 'not_due'],
    ['what was allowed never times out', allowed, expire, 1e6, 'already_resolved'],
    ['cancelled', open, cancel, 1, { to: 'cancelled', reason: 'session_ended' }],
    ['cancelled too late', allowed, cancel, 1, 'already_resolved'],
    ['its session has gone', open, { type: 'orphan' }, 1, { to: 'orphaned' }],
    ['decided and not offered: its successor hears it', allowed, { type: 'orphan' }, 1, { to: 'orphaned' }],
    [
      'decided and offered: it may have been used, and its successor asks again',
      { ...allowed, offeredAt: T0 },
      { type: 'orphan' },
      1,
      'nothing_to_do',
    ],
    ['taken over', orphaned, claim, 59, { to: 'claimed', sessionId: 'ses_2', isAsked: true }],
    ["taken over from a session that lives: another's", open, claim, 1, 'not_orphaned'],
    [
      'decided, taken over',
      { ...allowed, orphanedAt: T0 },
      claim,
      59,
      { to: 'claimed', sessionId: 'ses_2', isAsked: true },
    ],
    ['inherited, not dropped yet', inherited, { type: 'orphan_over' }, 899, 'already_resolved'],
    ['inherited, and never asked for', inherited, { type: 'orphan_over' }, 900, { to: 'dropped' }],
    [
      'inherited, its session gone as well',
      { ...inherited, orphanedAt: at(890) },
      claim,
      899,
      { to: 'claimed', sessionId: 'ses_2', isAsked: true },
    ],
    ['the same too late', { ...inherited, orphanedAt: at(890) }, claim, 900, 'too_late'],
    [
      'asked for by its own session: never too late',
      allowed,
      { type: 'orphan_over' },
      1e6,
      'already_resolved',
    ],
    ['decided, taken over too late', { ...allowed, orphanedAt: T0 }, claim, 60, 'too_late'],
    [
      'decided, not dropped yet',
      { ...allowed, orphanedAt: T0 },
      { type: 'orphan_over' },
      59,
      'already_resolved',
    ],
    ['decided, dropped', { ...allowed, orphanedAt: T0 }, { type: 'orphan_over' }, 60, { to: 'dropped' }],
    ['decided, held by its session', allowed, { type: 'orphan_over' }, 1e6, 'already_resolved'],
    [
      'nobody takes it over',
      orphaned,
      { type: 'orphan_over' },
      60,
      { to: 'cancelled', reason: 'agent_gone' },
    ],
  ])('%s', (_name, approval, command, seconds, expected) => {
    const decision = decideApproval(approval, command, at(seconds));
    expect(decision.ok ? decision.value : decision.refusal).toEqual(expected);
  });
});

/** What happens to one request, from its beginning on. */
const commands = fc.oneof(
  fc.constantFrom<ApprovalCommand>(
    expire,
    { ...expire, timeoutMs: 0 },
    cancel,
    { type: 'cancel', reason: 'went_away' },
    { type: 'orphan' },
    { type: 'orphan_over' },
    claim,
  ),
  fc.constantFrom(...APPROVAL_DECISIONS).map(decide),
);
const happening = fc.oneof(
  commands.map((command) => ({ command })),
  fc.constant({ offered: true }),
  fc.constant({ acknowledged: true }),
);
const happenings = fc.array(fc.tuple(happening, fc.nat(400)), { maxLength: 15, size: 'max' });

it('no answer is ever a yes: it is allowed only as the first decision of a person, or as an edit by the policy', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PERMISSION_POLICIES),
      fc.constantFrom(...APPROVAL_KINDS),
      happenings,
      (policy, kind, history) => {
        const byPolicy = decideByPolicy(policy, kind);
        let approval: ApprovalSnapshot = { ...open, state: byPolicy?.state ?? 'pending' };
        let decided: string | undefined = byPolicy?.state;
        let now = 0;
        for (const [one, seconds] of history) {
          now += seconds;
          if ('offered' in one) approval = { ...approval, offeredAt: approval.offeredAt ?? at(now) };
          else if ('acknowledged' in one) approval = { ...approval, acknowledgedAt: at(now) };
          else {
            const before = approval;
            approval = after(approval, one.command, at(now));
            const { command } = one;
            if (command.type === 'decide' && before.state === 'pending')
              decided ??= STATE_OF_DECISION[command.decision];
            if (before.state !== 'pending') expect(approval.state).toBe(before.state);
          }
        }
        if (approval.state.startsWith('allowed')) {
          expect(approval.state).toBe(decided);
          if (byPolicy !== null) expect([policy, kind]).toEqual(['allow_edits', 'edit']);
        }
        if (policy === 'deny') expect(approval.state).toBe('denied');
      },
    ),
    { numRuns: 2_000 },
  );
});

it('a decision that was offered is taken over by nobody', () => {
  fc.assert(
    fc.property(fc.constantFrom(...APPROVAL_DECISIONS), happenings, (decision, history) => {
      let approval: ApprovalSnapshot = { ...after(open, decide(decision), T0), offeredAt: T0 };
      for (const [one, seconds] of history)
        if ('command' in one) {
          const next = decideApproval(approval, one.command, at(seconds));
          if (next.ok) expect(next.value.to).not.toBe('claimed');
          approval = after(approval, one.command, at(seconds));
        }
    }),
  );
});

function after(approval: ApprovalSnapshot, command: ApprovalCommand, now: Date): ApprovalSnapshot {
  const decision = decideApproval(approval, command, now);
  if (!decision.ok) return approval;
  const { to } = decision.value;
  const state = APPROVAL_STATES.find((one) => one === to);
  return {
    ...approval,
    ...(state && { state }),
    ...(to === 'orphaned' && { orphanedAt: now }),
    ...(to === 'claimed' && { orphanedAt: null }),
    ...(to === 'dropped' && { acknowledgedAt: now }),
  };
}
