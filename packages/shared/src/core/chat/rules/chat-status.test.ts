import { describe, expect, it } from 'vitest';
import { type ChatStatusView, decideChatStatus } from './chat-status.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const session = {
  state: 'active' as const,
  held: false,
  unread: false,
  openQuestion: false,
  createdAt: T0,
  terminatingAt: null,
  lastActivityAt: at(7),
  phase: 'reading',
};
const ending = { ...session, state: 'terminating' as const, terminatingAt: at(8) };
const row = {
  createdAt: at(1),
  startedAt: null,
  notBefore: null,
  heldFor: null,
  position: null,
  hasError: false,
  signInRefused: false,
  processStarted: false,
};
const started = { ...row, startedAt: at(2) };
const view: ChatStatusView = { session: null, row: null, failure: null, coordinatorAlive: true };

describe('the status on the ring of an agent', () => {
  it.each<[string, Partial<ChatStatusView>, object]>([
    ['nobody', {}, { chatStatus: 'none', since: null }],
    ['awake', { session }, { chatStatus: 'ready', since: at(7) }],
    [
      'awake, with a message it has not fetched',
      { session: { ...session, unread: true } },
      { chatStatus: 'ready', since: at(7) },
    ],
    [
      'answering',
      { session: { ...session, held: true } },
      { chatStatus: 'busy', phase: 'reading', since: at(7) },
    ],
    [
      'answering, phase unknown',
      { session: { ...session, held: true, phase: null } },
      { chatStatus: 'busy', since: at(7) },
    ],
    [
      'asking',
      { session: { ...session, held: true, openQuestion: true } },
      { chatStatus: 'waiting_for_person', phase: 'reading', since: at(7) },
    ],
    ['awake beside a row of the next one', { session, row }, { chatStatus: 'ready', since: at(7) }],
    ['ending', { session: ending }, { chatStatus: 'ending', since: at(8) }],
    [
      'ending, the next one waits',
      { session: ending, row },
      { chatStatus: 'queued', reason: 'session_ending', since: at(1) },
    ],
    ['waiting for a Coordinator', { row }, { chatStatus: 'queued', since: at(1) }],
    [
      'no Coordinator',
      { row, coordinatorAlive: false },
      { chatStatus: 'queued', reason: 'no_coordinator', since: at(1) },
    ],
    [
      'no place',
      { row: { ...row, heldFor: 'capacity', position: 3 } },
      { chatStatus: 'queued', reason: 'capacity', position: 3, since: at(1) },
    ],
    [
      'cooling down',
      { row: { ...row, heldFor: 'cooling_down', hasError: true, notBefore: at(9) } },
      { chatStatus: 'queued', reason: 'cooling_down', since: at(1) },
    ],
    [
      'trying again',
      { row: { ...row, hasError: true } },
      { chatStatus: 'starting', phase: 'trying_again', since: at(1) },
    ],
    ['picked up', { row: started }, { chatStatus: 'starting', phase: 'picked_up', since: at(2) }],
    [
      'its process lives',
      { row: { ...started, processStarted: true } },
      { chatStatus: 'starting', phase: 'sign_in', since: at(2) },
    ],
    [
      'started, then the Coordinator fell silent',
      { row: started, coordinatorAlive: false },
      { chatStatus: 'starting', phase: 'picked_up', since: at(2) },
    ],
    [
      'sign-in refused',
      { row: { ...started, signInRefused: true } },
      { chatStatus: 'failed', reason: 'sign_in_refused', since: at(2) },
    ],
    [
      'the last word was an error',
      { failure: { code: 'timeout_not_picked_up', at: at(3) } },
      { chatStatus: 'failed', reason: 'timeout_not_picked_up', since: at(3) },
    ],
    [
      'an old error, a new start',
      { failure: { code: 'x', at: at(0) }, row },
      { chatStatus: 'queued', since: at(1) },
    ],
    [
      'an old error, awake',
      { failure: { code: 'x', at: at(0) }, session },
      { chatStatus: 'ready', since: at(7) },
    ],
  ])('%s', (_, change, expected) => {
    expect(decideChatStatus({ ...view, ...change })).toEqual(expected);
  });
});
