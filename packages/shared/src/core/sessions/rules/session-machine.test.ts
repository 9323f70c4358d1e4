import { describe, expect, it } from 'vitest';
import {
  decideSession,
  EXIT_REASONS,
  isBusy,
  isLive,
  type SessionCommand,
  type SessionSnapshot,
  takesWork,
} from './session-machine.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const nothing = {
  unread: false,
  held: false,
  openCard: false,
  liveConversation: false,
  unacknowledgedEnd: false,
};
const closed = { action: 'exit', reason: 'user_closed_chat' } as const;
const forced = { action: 'exit', reason: 'force_ended' } as const;
const idle = { action: 'logout', reason: 'session_timeout' } as const;

const active: SessionSnapshot = {
  state: 'active',
  end: null,
  acknowledgedAt: null,
  terminatingAt: null,
  closeRequestedAt: null,
  lastActivityAt: T0,
};
/** One name for every state that the rules distinguish. */
const STATES = {
  active,
  'active, close waits': { ...active, closeRequestedAt: at(-1) },
  'closed, unacknowledged': { ...active, state: 'terminating', end: closed, terminatingAt: at(-1) },
  'idle, unacknowledged': { ...active, state: 'terminating', end: idle, terminatingAt: at(-1) },
  'forced, unacknowledged': { ...active, state: 'terminating', end: forced, terminatingAt: at(-1) },
  'closed, told': {
    ...active,
    state: 'terminating',
    end: closed,
    terminatingAt: at(-1),
    acknowledgedAt: at(-1),
  },
  ended: { ...active, state: 'ended', end: closed, terminatingAt: at(-1), acknowledgedAt: at(-1) },
} as const satisfies Record<string, SessionSnapshot>;
type StateName = keyof typeof STATES;

/** No call for a minute, and a message waited that long; the test checks one second later. */
const silent = {
  lastSeenAt: at(-59),
  inTurn: false,
  waitingSince: at(-59),
  couldBeHeard: true,
  timeoutMs: 60_000,
};
const COMMANDS = {
  close: { type: 'close', viewersLeft: 0, work: nothing },
  'close, others look': { type: 'close', viewersLeft: 1, work: nothing },
  'close, unread': { type: 'close', viewersLeft: 0, work: { ...nothing, unread: true } },
  'close, held': { type: 'close', viewersLeft: 0, work: { ...nothing, held: true } },
  'close, question': { type: 'close', viewersLeft: 0, work: { ...nothing, openCard: true } },
  'close, conversation': { type: 'close', viewersLeft: 0, work: { ...nothing, liveConversation: true } },
  settle: { type: 'settle_close', viewersLeft: 0, work: nothing },
  'settle, others look': { type: 'settle_close', viewersLeft: 1, work: nothing },
  'settle, unread': { type: 'settle_close', viewersLeft: 0, work: { ...nothing, unread: true } },
  force: { type: 'end', reason: 'force_ended' },
  'idle now': { type: 'idle', work: nothing, timeoutMs: 0 },
  'idle too early': { type: 'idle', work: nothing, timeoutMs: 1_001 },
  'idle, unread': { type: 'idle', work: { ...nothing, unread: true }, timeoutMs: 0 },
  'idle, held': { type: 'idle', work: { ...nothing, held: true }, timeoutMs: 0 },
  'idle, question': { type: 'idle', work: { ...nothing, openCard: true }, timeoutMs: 0 },
  'idle, conversation': { type: 'idle', work: { ...nothing, liveConversation: true }, timeoutMs: 0 },
  silent: { type: 'silent', work: nothing, silence: silent },
  'silent, held': { type: 'silent', work: { ...nothing, held: true }, silence: silent },
  revive: { type: 'revive' },
  acknowledged: { type: 'acknowledged' },
  finish: { type: 'finish' },
  'grace over?': { type: 'grace_over' },
} as const satisfies Record<string, SessionCommand>;
type CommandName = keyof typeof COMMANDS;

const WAITS = { to: 'active', keep: 'close_requested', closeRequestedAt: at(1) };
const terminating = (end: object) => ({ to: 'terminating', end });
const ENDED = { to: 'ended' };
const all = (refusal: string) =>
  Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, refusal])) as Record<
    CommandName,
    string | object
  >;

const ACTIVE = {
  close: terminating(closed),
  'close, others look': 'viewers_left',
  'close, unread': WAITS,
  'close, held': WAITS,
  'close, question': WAITS,
  'close, conversation': WAITS,
  settle: 'nothing_to_do',
  'settle, others look': 'nothing_to_do',
  'settle, unread': 'nothing_to_do',
  force: terminating(forced),
  'idle now': terminating(idle),
  'idle too early': 'not_idle',
  'idle, unread': 'not_idle',
  'idle, held': 'not_idle',
  'idle, question': 'not_idle',
  'idle, conversation': 'not_idle',
  silent: { to: 'ended', end: { action: 'logout', reason: 'session_silent' } },
  'silent, held': 'not_silent',
  revive: 'cannot_revive',
  acknowledged: 'not_active',
  finish: ENDED,
  'grace over?': 'nothing_to_do',
};
const ENDING = {
  ...all('not_active'),
  revive: 'cannot_revive',
  finish: ENDED,
  'grace over?': 'nothing_to_do',
};
const UNACKNOWLEDGED = { ...ENDING, acknowledged: { to: 'acknowledged' } };
const REVIVABLE = {
  ...UNACKNOWLEDGED,
  force: terminating(forced),
  revive: { to: 'active', keep: 'revived' },
};

const TABLE: Record<StateName, Record<CommandName, string | object>> = {
  active: ACTIVE,
  'active, close waits': {
    ...ACTIVE,
    'close, unread': 'nothing_to_do',
    'close, held': 'nothing_to_do',
    'close, question': 'nothing_to_do',
    'close, conversation': 'nothing_to_do',
    settle: terminating(closed),
    'settle, others look': 'viewers_left',
  },
  'closed, unacknowledged': REVIVABLE,
  'idle, unacknowledged': REVIVABLE,
  // Ended by a person or the system: neither a new message nor a second end takes it back.
  'forced, unacknowledged': UNACKNOWLEDGED,
  'closed, told': { ...ENDING, acknowledged: { to: 'acknowledged' } },
  ended: all('already_ended'),
};

const cells = (Object.keys(STATES) as StateName[]).flatMap((state) =>
  (Object.keys(COMMANDS) as CommandName[]).map((command) => [state, command] as const),
);

describe('every cell of the session machine', () => {
  it.each(cells)('%s × %s', (state, command) => {
    const expected = TABLE[state][command];
    expect(decideSession(STATES[state], COMMANDS[command], at(1))).toEqual(
      typeof expected === 'string' ? { ok: false, refusal: expected } : { ok: true, change: expected },
    );
  });
});

describe('the end of terminating', () => {
  const ending = STATES['closed, unacknowledged'];
  it.each([
    ['told 14.999 s ago', { ...ending, acknowledgedAt: T0, terminatingAt: T0 }, 14.999, false],
    ['told 15 s ago', { ...ending, acknowledgedAt: T0, terminatingAt: T0 }, 15, true],
    ['told late: 15 s from then', { ...ending, acknowledgedAt: at(10), terminatingAt: T0 }, 24, false],
    ['told very late: 30 s in all', { ...ending, acknowledgedAt: at(29), terminatingAt: T0 }, 30, true],
    ['never told', { ...ending, terminatingAt: T0 }, 29.999, false],
    ['never told, 30 s', { ...ending, terminatingAt: T0 }, 30, true],
  ] as const)('%s', (_, session, seconds, over) => {
    expect(decideSession(session, { type: 'grace_over' }, at(seconds)).ok).toBe(over);
  });
});

describe('live, able to take work, busy', () => {
  it.each([
    ['active', true, true],
    ['active, close waits', true, true],
    ['closed, unacknowledged', true, true],
    ['idle, unacknowledged', true, true],
    ['forced, unacknowledged', true, false],
    ['closed, told', false, false],
    ['ended', false, false],
  ] as const)('%s', (state, live, takes) => {
    expect(isLive(STATES[state])).toBe(live);
    expect(takesWork(STATES[state])).toBe(takes);
  });

  it.each(EXIT_REASONS.filter((reason) => reason !== 'user_closed_chat'))(
    '%s is not taken back',
    (reason) => {
      expect(takesWork({ ...STATES['closed, unacknowledged'], end: { action: 'exit', reason } })).toBe(false);
    },
  );

  it('unread messages alone do not make a session busy, everything else does', () => {
    expect(isBusy({ ...nothing, unread: true })).toBe(false);
    expect(isBusy({ ...nothing, held: true })).toBe(true);
    expect(isBusy({ ...nothing, openCard: true })).toBe(true);
    expect(isBusy({ ...nothing, liveConversation: true })).toBe(true);
  });
});
