import { describe, expect, it } from 'vitest';
import { type ChatStatusView, decideChatStatus } from './chat-status.ts';

const T0 = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1_000);
const session = {
  state: 'active' as const,
  held: false,
  unread: false,
  asksPerson: false,
  createdAt: T0,
  terminatingAt: null,
  lastActivityAt: at(7),
  heldSince: null,
  asksSince: null,
  phase: 'reading',
  waitsFor: null,
  waitsForTask: null,
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
  pullPercent: null,
  waitsFor: null,
  waitsForTask: null,
};
const started = { ...row, startedAt: at(2) };
const view: ChatStatusView = {
  session: null,
  row: null,
  failure: null,
  isPerWork: false,
  coordinatorAlive: true,
};

describe('the status on the ring of an agent', () => {
  it.each<[string, Partial<ChatStatusView>, object]>([
    ['nobody', {}, { chatStatus: 'none', since: null }],
    [
      'nobody, until a message is sent',
      { isPerWork: true },
      { chatStatus: 'none', reason: 'starts_with_message', since: null },
    ],
    ['started for a message', { isPerWork: true, session }, { chatStatus: 'ready', since: at(7) }],
    ['awake', { session }, { chatStatus: 'ready', since: at(7) }],
    [
      'awake, with a message it has not fetched',
      { session: { ...session, unread: true } },
      { chatStatus: 'ready', since: at(7) },
    ],
    [
      'awake, with a message that waits until another agent has done its work in the folder',
      { session: { ...session, unread: true, waitsFor: 'agt_b' } },
      { chatStatus: 'ready', reason: 'folder_in_use', waitsForAgentId: 'agt_b', since: at(7) },
    ],
    [
      'the same, when the message waits no more',
      { session: { ...session, waitsFor: 'agt_b' } },
      { chatStatus: 'ready', since: at(7) },
    ],
    [
      'the same, when it works already',
      { session: { ...session, unread: true, held: true, waitsFor: 'agt_b' } },
      { chatStatus: 'busy', phase: 'reading', since: at(7) },
    ],
    [
      'answering',
      { session: { ...session, held: true } },
      { chatStatus: 'busy', phase: 'reading', since: at(7) },
    ],
    [
      'answering: since it took the message, not since its last step',
      { session: { ...session, held: true, heldSince: at(3) } },
      { chatStatus: 'busy', phase: 'reading', since: at(3) },
    ],
    [
      'asking: since people see the card',
      { session: { ...session, held: true, heldSince: at(3), asksPerson: true, asksSince: at(5) } },
      { chatStatus: 'waiting_for_person', phase: 'reading', since: at(5) },
    ],
    [
      'answering, phase unknown',
      { session: { ...session, held: true, phase: null } },
      { chatStatus: 'busy', since: at(7) },
    ],
    [
      'asking',
      { session: { ...session, held: true, asksPerson: true } },
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
      'to be started when another agent has done its work in the folder',
      { row: { ...row, heldFor: 'folder_in_use', waitsFor: 'agt_b' } },
      { chatStatus: 'queued', reason: 'folder_in_use', waitsForAgentId: 'agt_b', since: at(1) },
    ],
    [
      'the same, in the moment before it is started',
      { row: { ...row, heldFor: 'folder_in_use' } },
      { chatStatus: 'queued', reason: 'folder_in_use', since: at(1) },
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
      'its image is pulled',
      { row: { ...started, pullPercent: 40 } },
      { chatStatus: 'starting', phase: 'pulling', pullPercent: 40, since: at(2) },
    ],
    [
      'its process lives',
      { row: { ...started, processStarted: true, pullPercent: 90 } },
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
