import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideNextStep } from './next-action.ts';
import {
  decideSession,
  EXIT_REASONS,
  isBusy,
  isLive,
  type SessionChange,
  type SessionCommand,
  type SessionSnapshot,
  type SessionWork,
  type Silence,
  TERMINATING_IN_ALL_MS,
  takesWork,
} from './session-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const IDLE_MS = 600_000;

const anyWork: fc.Arbitrary<SessionWork> = fc.record({
  unread: fc.boolean(),
  held: fc.boolean(),
  openCard: fc.boolean(),
  liveConversation: fc.boolean(),
  unacknowledgedEnd: fc.boolean(),
});
const moment = fc.nat(3_000_000).map((ms) => new Date(T0.getTime() + ms));
const anySilence: fc.Arbitrary<Silence> = fc.record({
  lastSeenAt: moment,
  inTurn: fc.boolean(),
  waitingSince: fc.option(moment),
  couldBeHeard: fc.boolean(),
  timeoutMs: fc.constant(IDLE_MS),
});
const viewersLeft = fc.nat(2);
const anyCommand: fc.Arbitrary<SessionCommand> = fc.oneof(
  fc.record({ type: fc.constant('close' as const), viewersLeft, work: anyWork }),
  fc.record({ type: fc.constant('settle_close' as const), viewersLeft, work: anyWork }),
  fc.record({ type: fc.constant('evict' as const), viewersLeft, work: anyWork }),
  fc.record({ type: fc.constant('end' as const), reason: fc.constantFrom(...EXIT_REASONS) }),
  fc.record({ type: fc.constant('idle' as const), work: anyWork, timeoutMs: fc.constant(IDLE_MS) }),
  fc.record({ type: fc.constant('silent' as const), work: anyWork, silence: anySilence }),
  fc.constant({ type: 'revive' as const }),
  fc.constant({ type: 'acknowledged' as const }),
  fc.constant({ type: 'finish' as const }),
  fc.constant({ type: 'grace_over' as const }),
);
const anyHistory = fc.array(fc.record({ afterMs: fc.nat(700_000), command: anyCommand }), {
  maxLength: 30,
  size: 'max',
});

/** The columns that session-lifecycle.ts writes for a change. */
function apply(session: SessionSnapshot, change: SessionChange, now: Date): SessionSnapshot {
  switch (change.to) {
    case 'active':
      return change.keep === 'close_requested'
        ? { ...session, closeRequestedAt: change.closeRequestedAt }
        : {
            ...session,
            state: 'active',
            end: null,
            terminatingAt: null,
            closeRequestedAt: null,
            lastActivityAt: now,
          };
    case 'terminating':
      return {
        ...session,
        state: 'terminating',
        end: change.end,
        terminatingAt: session.terminatingAt ?? now,
      };
    case 'acknowledged':
      return { ...session, acknowledgedAt: session.acknowledgedAt ?? now };
    case 'ended':
      return { ...session, state: 'ended', end: change.end ?? session.end };
  }
}

interface Step {
  readonly before: SessionSnapshot;
  readonly command: SessionCommand;
  readonly now: Date;
  readonly change: SessionChange | null;
  readonly after: SessionSnapshot;
}

function play(history: readonly { afterMs: number; command: SessionCommand }[]): Step[] {
  let now = T0;
  let session: SessionSnapshot = {
    state: 'active',
    end: null,
    acknowledgedAt: null,
    terminatingAt: null,
    closeRequestedAt: null,
    lastActivityAt: T0,
  };
  return history.map(({ afterMs, command }) => {
    now = new Date(now.getTime() + afterMs);
    const before = session;
    const decision = decideSession(before, command, now);
    const change = decision.ok ? decision.change : null;
    if (change) session = apply(before, change, now);
    return { before, command, now, change, after: session };
  });
}

const everyStep = (check: (step: Step) => void) => () =>
  fc.assert(
    fc.property(anyHistory, (history) => play(history).forEach(check)),
    { numRuns: 2_000 },
  );

it(
  '1 · ended is final',
  everyStep(({ before, change }) => {
    if (before.state === 'ended') expect(change).toBeNull();
  }),
);

it(
  '2 · neither a close nor an eviction ends a session that has a viewer or any work',
  everyStep(({ command, change }) => {
    if (command.type !== 'close' && command.type !== 'settle_close' && command.type !== 'evict') return;
    if (change?.to !== 'terminating') return;
    expect(command.viewersLeft).toBe(0);
    expect(command.work.unread || isBusy(command.work)).toBe(false);
  }),
);

it(
  '3 · idleness never ends a session that has work, nor one that was active just now',
  everyStep(({ before, command, now, change }) => {
    if (command.type !== 'idle' || change === null) return;
    expect(command.work.unread || isBusy(command.work)).toBe(false);
    expect(now.getTime() - before.lastActivityAt.getTime()).toBeGreaterThanOrEqual(IDLE_MS);
  }),
);

it(
  '4 · what was acknowledged is never taken back',
  everyStep(({ before, after }) => {
    if (before.acknowledgedAt === null) return;
    expect(after.state).not.toBe('active');
    expect(after.end).toEqual(before.end);
  }),
);

it(
  '5 · an end by a person or the system stays; only a close or idleness can be taken back',
  everyStep(({ before, after }) => {
    const given =
      before.end !== null &&
      before.end.reason !== 'user_closed_chat' &&
      before.end.reason !== 'session_timeout';
    if (given) expect(after.end).toEqual(before.end);
  }),
);

it(
  '6 · a terminating session has a reason, and is over after 30 s at the next check',
  everyStep(({ after, now }) => {
    if (after.state !== 'terminating') return;
    expect(after.end).not.toBeNull();
    expect(after.terminatingAt).not.toBeNull();
    const later = new Date((after.terminatingAt ?? now).getTime() + TERMINATING_IN_ALL_MS);
    expect(decideSession(after, { type: 'grace_over' }, later)).toEqual({
      ok: true,
      change: { to: 'ended' },
    });
  }),
);

it(
  '7 · an active session has no data of an end',
  everyStep(({ after }) => {
    if (after.state === 'active')
      expect(after).toMatchObject({ end: null, acknowledgedAt: null, terminatingAt: null });
  }),
);

it(
  '8 · a session that takes work is live, and an ended session is neither',
  everyStep(({ after }) => {
    if (takesWork(after)) expect(isLive(after)).toBe(true);
    if (after.state === 'ended') expect(isLive(after)).toBe(false);
  }),
);

const NOTHING_TO_HEAR = {
  heldAgain: false,
  tokenLimit: null,
  withheldIn: null,
  resolvedCard: null,
  hasTask: false,
  usesReceipts: false,
  taskToTell: null,
  conversationDue: false,
  notice: null,
};

it('9 · a session is told to fetch, to wait or to leave, and idle only when the machine agrees', () => {
  fc.assert(
    fc.property(anyHistory, anyWork, fc.nat(1_300_000), (history, work, afterMs) => {
      const last = play(history).at(-1);
      if (!last) return;
      const now = new Date(last.now.getTime() + afterMs);
      const step = decideNextStep({ ...last.after, ...NOTHING_TO_HEAR, work }, now, IDLE_MS);
      const agrees = decideSession(last.after, { type: 'idle', work, timeoutMs: IDLE_MS }, now).ok;
      expect(step.kind === 'idle').toBe(agrees);
      if (last.after.state !== 'active') expect(['exit', 'logout']).toContain(step.kind);
      else if (work.unread) expect(step.kind).toBe('get_pending_messages');
    }),
    { numRuns: 2_000 },
  );
});

it(
  '11 · silence ends only an active session that holds nothing, is in no turn and has a message waiting',
  everyStep(({ before, command, now, change }) => {
    if (command.type !== 'silent' || change === null) return;
    const { inTurn, waitingSince, lastSeenAt, couldBeHeard } = command.silence;
    expect([before.state, command.work.held, inTurn, couldBeHeard]).toEqual(['active', false, false, true]);
    for (const since of [waitingSince, lastSeenAt])
      expect(now.getTime() - (since?.getTime() ?? Number.NaN)).toBeGreaterThanOrEqual(IDLE_MS);
  }),
);
