import type { Approval } from '@aizuchi/shared/contract/approval';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import { expect, test } from 'vitest';
import { withPending } from './pending-rows.ts';
import { insertedRows, messageRows } from './rows.ts';

const message = (seq: number, createdAt: string, sender: 'user' | 'agent'): Message => ({
  id: `msg_${seq}`,
  projectId: 'prj_a',
  senderId: sender === 'user' ? 'user' : 'agt_a',
  senderName: 'A',
  sender,
  content: '',
  createdAt,
  visible: true,
  state: 'answered',
  seq,
});
const card = (toolUseId: string, createdAt: string): Question => ({
  toolUseId,
  projectId: 'prj_a',
  agentId: 'agt_a',
  questions: [],
  status: 'pending',
  createdAt,
});
const keysOf = (messages: Message[], cards: Question[]) =>
  messageRows({ messages, sentAs: {}, hasOlder: false }, undefined, insertedRows(cards, [])).map(
    ({ kind, key }) => (kind === 'day' ? 'day' : key),
  );

const asked = message(1, '2026-11-21T01:00:00.000Z', 'user');
const answered = message(2, '2026-11-21T01:05:00.000Z', 'agent');

test('cards are inserted between the messages by their time', () => {
  const cards = [card('q_1', '2026-11-21T01:01:00.000Z'), card('q_2', '2026-11-21T01:06:00.000Z')];
  expect(keysOf([asked, answered], cards)).toEqual(['day', 'msg_1', 'q_1', 'msg_2', 'q_2']);
});

test('where earlier cards are not shown, a row above the shown ones says so', () => {
  const cards = [card('q_1', '2026-11-21T01:01:00.000Z'), card('q_2', '2026-11-21T01:06:00.000Z')];
  const rows = (cutAt: string) =>
    messageRows(
      { messages: [asked, answered], sentAs: {}, hasOlder: false },
      undefined,
      insertedRows(cards, [], [], cutAt),
    ).map(({ key }) => key);
  expect(rows('2026-11-21T01:01:00.000Z').slice(1)).toEqual(['msg_1', 'cut', 'q_1', 'msg_2', 'q_2']);
  expect(rows('2026-11-21T01:07:00.000Z').at(-1)).toBe('cut');
});

test('a card without messages has a divider for its day', () => {
  expect(keysOf([], [card('q_1', '2026-11-21T01:01:00.000Z')])).toEqual(['day', 'q_1']);
  expect(keysOf([asked], [card('q_1', '2026-11-24T01:01:00.000Z')])).toEqual(['day', 'msg_1', 'day', 'q_1']);
});

test('the first day has no divider while older messages are not loaded', () => {
  const later = message(3, '2026-11-24T01:00:00.000Z', 'user');
  const rows = messageRows({ messages: [asked, later], sentAs: {}, hasOlder: true });
  expect(rows.map(({ kind }) => kind)).toEqual(['message', 'day', 'message']);
});

test('the time of an answer does not include the wait for a card', () => {
  const took = (cards: Question[]) =>
    messageRows(
      { messages: [asked, answered], sentAs: {}, hasOlder: false },
      undefined,
      insertedRows(cards, []),
    ).flatMap((row) => (row.kind === 'message' && row.tookMs !== undefined ? [row.tookMs] : []));
  expect(took([])).toEqual([300_000]);
  expect(took([card('q_1', '2026-11-21T01:01:00.000Z')])).toEqual([]);
});

test('conversations are inserted by their time, between the cards', () => {
  const talk = (id: string, createdAt: string): Conversation => ({
    id,
    projectId: 'prj_a',
    initiatorAgentId: 'agt_a',
    participantAgentId: 'agt_b',
    state: 'active',
    purpose: null,
    messageCount: 2,
    maxMessages: 20,
    chainId: 'chn_a',
    createdAt,
    endedAt: null,
    endedBy: null,
    endReason: null,
    finalMessage: null,
  });
  const inserted = insertedRows(
    [card('q_1', '2026-11-21T01:02:00.000Z')],
    [talk('conv_b', '2026-11-21T01:06:00.000Z'), talk('conv_a', '2026-11-21T01:01:00.000Z')],
  );
  const rows = messageRows({ messages: [asked, answered], sentAs: {}, hasOlder: false }, undefined, inserted);
  expect(rows.slice(1).map(({ key }) => key)).toEqual(['msg_1', 'conv_a', 'q_1', 'msg_2', 'conv_b']);
});

test('what an agent asks while it writes stands below the growing answer, also what was decided in this turn', () => {
  const approval = (id: string, createdAt: string, status: Approval['status']): Approval => ({
    id,
    projectId: 'prj_a',
    agentId: 'agt_a',
    tool: 'Bash',
    kind: 'command',
    summary: id,
    input: {},
    status,
    createdAt,
  });
  const approvals = [
    approval('before', '2026-11-21T01:03:00.000Z', 'denied'),
    approval('decided', '2026-11-21T01:07:00.000Z', 'allowed_once'),
    approval('open', '2026-11-21T01:08:00.000Z', 'pending'),
  ];
  const inserted = insertedRows([card('q_1', '2026-11-21T01:01:00.000Z')], [], approvals);
  const rows = messageRows({ messages: [asked, answered], sentAs: {}, hasOlder: false }, undefined, inserted);
  const growing = [{ messageId: 'msg_9', start: 0, text: '', since: 1 }];
  const keys = withPending(rows, [], growing, 'owner').map(({ key }) => key);
  expect(keys.slice(1)).toEqual([
    'msg_1',
    'approval before',
    'msg_2',
    'msg_9',
    'q_1',
    'approval decided',
    'approval open',
  ]);
  expect(withPending(rows, [], [], 'owner')).toBe(rows);
});
