import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import { expect, test } from 'vitest';
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
  messageRows({ messages, sentAs: {} }, undefined, insertedRows(cards, [])).map(({ kind, key }) =>
    kind === 'day' ? 'day' : key,
  );

const asked = message(1, '2026-11-21T01:00:00.000Z', 'user');
const answered = message(2, '2026-11-21T01:05:00.000Z', 'agent');

test('cards are inserted between the messages by their time', () => {
  const cards = [card('q_1', '2026-11-21T01:01:00.000Z'), card('q_2', '2026-11-21T01:06:00.000Z')];
  expect(keysOf([asked, answered], cards)).toEqual(['day', 'msg_1', 'q_1', 'msg_2', 'q_2']);
});

test('a card without messages has a divider for its day', () => {
  expect(keysOf([], [card('q_1', '2026-11-21T01:01:00.000Z')])).toEqual(['day', 'q_1']);
  expect(keysOf([asked], [card('q_1', '2026-11-24T01:01:00.000Z')])).toEqual(['day', 'msg_1', 'day', 'q_1']);
});

test('the time of an answer does not include the wait for a card', () => {
  const took = (cards: Question[]) =>
    messageRows({ messages: [asked, answered], sentAs: {} }, undefined, insertedRows(cards, [])).flatMap(
      (row) => (row.kind === 'message' && row.tookMs !== undefined ? [row.tookMs] : []),
    );
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
  const rows = messageRows({ messages: [asked, answered], sentAs: {} }, undefined, inserted);
  expect(rows.slice(1).map(({ key }) => key)).toEqual(['msg_1', 'conv_a', 'q_1', 'msg_2', 'conv_b']);
});
