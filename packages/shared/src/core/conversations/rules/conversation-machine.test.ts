import { describe, expect, it } from 'vitest';
import {
  type ConversationChange,
  type ConversationCommand,
  type ConversationRefusal,
  type ConversationSnapshot,
  decideConversation,
} from './conversation-machine.ts';
import { CONVERSATION_STATES, type ConversationState } from './conversation-states.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);

function conversation(
  state: ConversationState,
  change: Partial<ConversationSnapshot> = {},
): ConversationSnapshot {
  const isOver = state !== 'pending' && state !== 'active';
  return {
    state,
    messageCount: 4,
    maxMessages: 20,
    createdAt: T0,
    lastActivityAt: T0,
    waitsForFolder: false,
    atWorkUntil: null,
    endedAt: isOver ? T0 : null,
    ...change,
  };
}

const plenty = { chain: 10, hour: 10 };
const times = { pendingTimeoutMs: 300_000, timeoutMs: 600_000, workMs: 5_000_000 };
const send = (by: 'initiator' | 'participant', left = plenty): ConversationCommand => ({
  type: 'send',
  by,
  left,
});
const tick: ConversationCommand = { type: 'tick', times };
const ended = (to: 'terminating' | 'ended', reason: string, endedBy: 'initiator' | 'participant' | null) =>
  ({ to, reason, endedBy }) as ConversationChange;

type Expected = ConversationChange | ConversationRefusal;

/** Every state by every command, with no limit and no time-out near. */
const TABLE: Record<string, { command: ConversationCommand } & Record<ConversationState, Expected>> = {
  join: {
    command: { type: 'join' },
    pending: { to: 'active' },
    active: 'not_pending',
    terminating: 'not_pending',
    ended: 'not_pending',
    expired: 'not_pending',
  },
  'send by the initiator': {
    command: send('initiator'),
    pending: { to: 'said' },
    active: { to: 'said' },
    terminating: 'not_live',
    ended: 'not_live',
    expired: 'not_live',
  },
  'send by the participant': {
    command: send('participant'),
    pending: 'not_live',
    active: { to: 'said' },
    terminating: 'not_live',
    ended: 'not_live',
    expired: 'not_live',
  },
  'filled, far from the limit': {
    command: { type: 'filled' },
    pending: 'nothing_to_do',
    active: 'nothing_to_do',
    terminating: 'nothing_to_do',
    ended: 'nothing_to_do',
    expired: 'nothing_to_do',
  },
  'end by the initiator': {
    command: { type: 'end', by: 'initiator' },
    pending: ended('ended', 'initiator_ended', 'initiator'),
    active: ended('terminating', 'initiator_ended', 'initiator'),
    terminating: { to: 'acknowledged' },
    ended: { to: 'acknowledged' },
    expired: { to: 'acknowledged' },
  },
  'end by the participant': {
    command: { type: 'end', by: 'participant' },
    pending: ended('ended', 'participant_ended', 'participant'),
    active: ended('terminating', 'participant_ended', 'participant'),
    terminating: { to: 'acknowledged' },
    ended: { to: 'acknowledged' },
    expired: { to: 'acknowledged' },
  },
  stop: {
    command: { type: 'stop' },
    pending: ended('ended', 'human_stopped', null),
    active: ended('terminating', 'human_stopped', null),
    terminating: 'not_live',
    ended: 'not_live',
    expired: 'not_live',
  },
  gone: {
    command: { type: 'gone' },
    pending: ended('ended', 'participant_gone', null),
    active: ended('terminating', 'participant_gone', null),
    terminating: 'not_live',
    ended: 'not_live',
    expired: 'not_live',
  },
  over_limit: {
    command: { type: 'over_limit' },
    pending: ended('ended', 'usage_limit', null),
    active: ended('terminating', 'usage_limit', null),
    terminating: 'not_live',
    ended: 'not_live',
    expired: 'not_live',
  },
  not_woken: {
    command: { type: 'not_woken' },
    pending: { to: 'expired', reason: 'not_started', endedBy: null },
    active: 'not_pending',
    terminating: 'not_pending',
    ended: 'not_pending',
    expired: 'not_pending',
  },
  'tick, in time': {
    command: tick,
    pending: 'nothing_to_do',
    active: 'nothing_to_do',
    terminating: 'nothing_to_do',
    ended: 'nothing_to_do',
    expired: 'nothing_to_do',
  },
  'settle, one side waits': {
    command: { type: 'settle', initiator: 'acknowledged', participant: 'waiting', graceMs: 0 },
    pending: 'nothing_to_do',
    active: 'nothing_to_do',
    terminating: 'nothing_to_do',
    ended: 'nothing_to_do',
    expired: 'nothing_to_do',
  },
  'settle, both know': {
    command: { type: 'settle', initiator: 'acknowledged', participant: 'acknowledged', graceMs: 60_000 },
    pending: 'nothing_to_do',
    active: 'nothing_to_do',
    terminating: { to: 'settled' },
    ended: 'nothing_to_do',
    expired: 'nothing_to_do',
  },
};

function decide(state: ConversationSnapshot, command: ConversationCommand, seconds = 1): Expected {
  const decision = decideConversation(state, command, at(seconds));
  return decision.ok ? decision.change : decision.refusal;
}

describe.each(Object.entries(TABLE))('%s', (_, row) => {
  it.each(CONVERSATION_STATES)('when %s', (state) => {
    expect(decide(conversation(state), row.command)).toEqual(row[state]);
  });
});

describe('limits', () => {
  const full = { messageCount: 20 };
  it.each<[string, ConversationSnapshot, ConversationCommand, Expected]>([
    ['the last message', conversation('active', { messageCount: 19 }), send('initiator'), { to: 'said' }],
    [
      'the last message is said',
      conversation('active', full),
      { type: 'filled' },
      ended('terminating', 'max_messages', null),
    ],
    [
      'the last message before the other has come',
      conversation('pending', full),
      { type: 'filled' },
      'nothing_to_do',
    ],
    [
      'one beyond',
      conversation('active', full),
      send('participant'),
      ended('terminating', 'max_messages', null),
    ],
    [
      'the chain is used up',
      conversation('active'),
      send('initiator', { chain: 0, hour: 9 }),
      ended('terminating', 'chain_limit', null),
    ],
    [
      'the hour is used up',
      conversation('active'),
      send('initiator', { chain: 9, hour: 0 }),
      ended('terminating', 'chain_limit', null),
    ],
    [
      'no hourly limit',
      conversation('active'),
      send('initiator', { chain: 9, hour: Number.POSITIVE_INFINITY }),
      { to: 'said' },
    ],
    [
      'nothing is cut off before the other has come',
      conversation('pending', full),
      send('initiator'),
      'limit_reached',
    ],
  ])('%s', (_, state, command, expected) => {
    expect(decide(state, command)).toEqual(expected);
  });
});

describe('time', () => {
  const away = (graceMs: number): ConversationCommand => ({
    type: 'settle',
    initiator: 'acknowledged',
    participant: 'away',
    graceMs,
  });
  it.each<[string, ConversationSnapshot, ConversationCommand, number, Expected]>([
    ['pending, just in time', conversation('pending'), tick, 299, 'nothing_to_do'],
    [
      'pending, over',
      conversation('pending'),
      tick,
      300,
      { to: 'expired', reason: 'not_started', endedBy: null },
    ],
    ['active, just in time', conversation('active'), tick, 599, 'nothing_to_do'],
    ['active, silent', conversation('active'), tick, 600, ended('terminating', 'timeout', null)],
    [
      'active, something was said',
      conversation('active', { lastActivityAt: at(1) }),
      tick,
      600,
      'nothing_to_do',
    ],
    [
      'active, a side was in its turn',
      conversation('active', { atWorkUntil: at(5_000) }),
      tick,
      5_599,
      'nothing_to_do',
    ],
    [
      'active, silent since its turn',
      conversation('active', { atWorkUntil: at(5_000) }),
      tick,
      5_600,
      ended('terminating', 'timeout', null),
    ],
    [
      'active, a side is in its turn for too long',
      conversation('active', { atWorkUntil: at(9_999) }),
      tick,
      5_600,
      ended('terminating', 'timeout', null),
    ],
    [
      'active, something was said after the turn',
      conversation('active', { atWorkUntil: at(100), lastActivityAt: at(200) }),
      tick,
      799,
      'nothing_to_do',
    ],
    [
      'pending, its participant was in another turn',
      conversation('pending', { atWorkUntil: at(5_000) }),
      tick,
      5_299,
      'nothing_to_do',
    ],
    [
      'pending, not begun after that turn',
      conversation('pending', { atWorkUntil: at(5_000) }),
      tick,
      5_300,
      { to: 'expired', reason: 'not_started', endedBy: null },
    ],
    [
      'active, while one side waits for the folder of the project',
      conversation('active', { waitsForFolder: true }),
      tick,
      9_999,
      'nothing_to_do',
    ],
    [
      'pending, while its participant waits for the folder',
      conversation('pending', { waitsForFolder: true }),
      tick,
      9_999,
      'nothing_to_do',
    ],
    ['a side without a session, in its time', conversation('terminating'), away(60_000), 59, 'nothing_to_do'],
    [
      'a side without a session, its time over',
      conversation('terminating'),
      away(60_000),
      60,
      { to: 'settled' },
    ],
  ])('%s', (_, state, command, seconds, expected) => {
    expect(decide(state, command, seconds)).toEqual(expected);
  });

  it('trap 2: a side with a session that has not acknowledged the end keeps it open, however long', () => {
    const command = {
      type: 'settle',
      initiator: 'acknowledged',
      participant: 'waiting',
      graceMs: 60_000,
    } as const;
    expect(decide(conversation('terminating'), command, 1_000_000)).toBe('nothing_to_do');
  });
});
