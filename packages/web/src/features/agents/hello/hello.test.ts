import type { AgentSessionView, Message } from '@aizuchi/shared/contract/chat';
import { describe, expect, test } from 'vitest';
import { type Hello, type HelloEvent, heard, isOver, newHello } from './hello.ts';
import { saysWord, stepsOf, totalMs } from './hello-view.ts';

const session = (chatStatus: AgentSessionView['chatStatus'], more: Partial<AgentSessionView> = {}) => ({
  type: 'session' as const,
  session: { chat: 0, task: 0, chatStatus, since: '2026-11-23T03:00:00.000Z', ...more },
});

const MESSAGE: Message = {
  id: 'msg_1',
  projectId: 'prj_1',
  senderId: 'user',
  senderName: 'Owner',
  sender: 'user',
  content: 'Hello',
  createdAt: '2026-11-23T03:00:00.000Z',
  visible: true,
  state: 'stored',
  seq: 7,
};
const message = (more: Partial<Message>) => ({ type: 'message' as const, message: { ...MESSAGE, ...more } });
const SENT: HelloEvent = { type: 'sent', message: MESSAGE };
const ANSWER = message({ id: 'msg_2', seq: 8, sender: 'agent', content: 'Aizuchi.', state: 'answered' });
const SYSTEM = message({
  id: 'sys_1',
  seq: 8,
  sender: 'system',
  system: { code: 'could_not_start', params: { error: 'no such file' } },
});

/** Each event 100 ms after the one before. */
function play(events: readonly HelloEvent[], hello: Hello = newHello(1_000, 'Aizuchi', undefined)): Hello {
  return events.reduce((state, event, index) => heard(state, event, 1_100 + index * 100), hello);
}

const states = (hello: Hello) => stepsOf(hello, 2_000).map(({ state }) => state);
const times = (hello: Hello) => stepsOf(hello, 2_000).map(({ ms }) => ms);

describe('the test of an agent', () => {
  test('has a time for each step that was seen', () => {
    const hello = play([
      SENT,
      session('starting', { phase: 'picked_up' }),
      session('starting', { phase: 'sign_in' }),
      session('ready', { chat: 1 }),
      message({ state: 'delivered' }),
      { type: 'text' },
      message({ state: 'answered' }),
      ANSWER,
    ]);
    expect(states(hello)).toEqual(Array(6).fill('done'));
    expect(times(hello)).toEqual([200, 100, 100, 100, 100, 100]);
    expect([isOver(hello), totalMs(hello), hello.answer?.content]).toEqual([true, 700, 'Aizuchi.']);
  });

  test('counts a step that was not seen into the next one', () => {
    const hello = play([SENT, message({ state: 'delivered' })]);
    expect(states(hello)).toEqual(['done', 'done', 'done', 'done', 'current', 'open']);
    expect(times(hello)).toEqual([undefined, undefined, undefined, 200, 800, undefined]);
  });

  test('of a warm agent begins with the delivery', () => {
    const warm = newHello(1_000, 'Aizuchi', session('ready', { chat: 1 }).session);
    const steps = stepsOf(play([SENT, message({ state: 'delivered' }), ANSWER], warm), 2_000);
    expect(steps.map(({ wasReady }) => wasReady)).toEqual([true, true, true, false, false, false]);
    expect(steps.map(({ ms }) => ms)).toEqual([undefined, undefined, undefined, 200, undefined, 100]);
  });

  test('the same events again change nothing', () => {
    const events = [SENT, session('ready', { chat: 1 }), message({ state: 'delivered' }), ANSWER];
    const once = play(events);
    expect(play(events.slice(1), once)).toEqual(once);
  });
});

describe('a test that fails', () => {
  test('stops at the first step that was not reached, and keeps what the system says', () => {
    const hello = play([
      SENT,
      session('starting', { phase: 'picked_up' }),
      message({ state: 'failed' }),
      SYSTEM,
    ]);
    expect(states(hello)).toEqual(['done', 'failed', 'open', 'open', 'open', 'open']);
    expect(hello.fault).toMatchObject({ kind: 'system' });
    // The step took until the message failed, whenever the page looks.
    expect(times(hello)).toEqual([200, 100, undefined, undefined, undefined, undefined]);
    expect(isOver(hello)).toBe(true);
    expect(play([session('ready', { chat: 1 })], hello)).toBe(hello);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])(
    'a turn without an answer was delivered, also when only its end is read: %s the system says why',
    (_when, isFirst) => {
      const failed = message({ state: 'failed', failure: { code: 'turn_failed', params: { reason: 'no' } } });
      const hello = play(isFirst ? [SENT, failed, SYSTEM] : [SENT, SYSTEM, failed]);
      expect(states(hello)).toEqual(['done', 'done', 'done', 'done', 'failed', 'open']);
      expect(hello.fault).toMatchObject({ kind: 'system' });
      expect(play([failed], hello)).toBe(hello);
    },
  );

  test('a program that could not be started had a place, also when no try was seen', () => {
    const failed = message({ state: 'failed', failure: { code: 'agent_crashed', params: {} } });
    for (const events of [
      [SENT, failed, SYSTEM],
      [SENT, SYSTEM, failed],
    ])
      expect(states(play(events))).toEqual(['done', 'failed', 'open', 'open', 'open', 'open']);
    const signedIn = message({ ...SYSTEM.message, system: { code: 'agent_never_signed_in', params: {} } });
    expect(states(play([SENT, failed, signedIn])).slice(0, 3)).toEqual(['done', 'done', 'failed']);
  });

  test.each([
    ['cools down', session('queued', { reason: 'cooling_down' })],
    ['is tried again', session('starting', { phase: 'trying_again' })],
  ])('a start that %s had a place, if it is of this test', (_what, state) => {
    expect(states(play([SENT, state])).slice(0, 2)).toEqual(['done', 'current']);
    expect(states(play([state, SENT])).slice(0, 2)).toEqual(['current', 'open']);
  });

  test('a failure from before is not its own', () => {
    const before = message({ ...SYSTEM.message, seq: 6 });
    expect(play([session('failed', { reason: 'agent_crashed' }), SENT, before]).fault).toBeUndefined();
  });

  test('is not what the system says about something else', () => {
    const schedule = message({ ...SYSTEM.message, system: { code: 'schedule_overlap', params: {} } });
    expect(play([SENT, schedule]).fault).toBeUndefined();
  });

  test('a refused sign-in is said at once, and is over when a later one succeeds', () => {
    const refused = play([SENT, session('failed', { reason: 'sign_in_refused' })]);
    expect(states(refused)).toEqual(['done', 'done', 'failed', 'open', 'open', 'open']);
    expect(isOver(refused)).toBe(false);
    expect(play([session('ready', { chat: 1 })], refused).fault).toBeUndefined();
  });

  test('before the message is stored it is at the first step', () => {
    const hello = play([{ type: 'refused', error: new Error('no') }]);
    expect(states(hello)).toEqual(['failed', 'open', 'open', 'open', 'open', 'open']);
  });
});

test('messages between agents are not its answer', () => {
  const talk = message({ ...ANSWER.message, conversationId: 'conv_1' });
  expect(play([SENT, talk]).answer).toBeUndefined();
});

test('a fault that a driver describes in its answer does not have the word', () => {
  expect(saysWord(play([SENT, message({ ...ANSWER.message, content: '*aizuchi*' })]))).toBe(true);
  const fault = message({ ...ANSWER.message, content: 'The model cannot be reached.' });
  expect(saysWord(play([SENT, fault]))).toBe(false);
});
