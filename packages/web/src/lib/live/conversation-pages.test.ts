import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { expect, test } from 'vitest';
import { type ConversationPages, withConversation } from './conversation-pages.ts';

const talk = (id: string, minute: number, change: Partial<Conversation> = {}): Conversation => ({
  id,
  projectId: 'prj_a',
  initiatorAgentId: 'agt_a',
  participantAgentId: 'agt_b',
  state: 'active',
  purpose: null,
  messageCount: 2,
  maxMessages: 20,
  chainId: 'chain_a',
  createdAt: `2026-11-22T10:${minute}:00.000Z`,
  endedAt: null,
  endedBy: null,
  endReason: null,
  finalMessage: null,
  ...change,
});
const newer = talk('conv_newer', 30);
const older = talk('conv_older', 20);
const data: ConversationPages = {
  pages: [
    { conversations: [newer], nextCursor: 'more' },
    { conversations: [older], nextCursor: null },
  ],
  pageParams: [undefined, 'more'],
};
const listed = (pages: ConversationPages) => pages.pages.map(({ conversations }) => conversations);

test('a conversation only moves forward, in whichever order response and frame arrive', () => {
  const ended = { ...older, state: 'ended', endReason: 'human_stopped' } as const;
  const after = withConversation(data, ended);
  expect(listed(after)).toEqual([[newer], [ended]]);
  expect(listed(withConversation(after, { ...ended, state: 'terminating' }))).toEqual([[newer], [ended]]);
  expect(listed(withConversation(data, { ...newer, messageCount: 1 }))).toEqual([[newer], [older]]);
});

test('a new conversation is added on top, also to an empty list', () => {
  const fresh = talk('conv_fresh', 40);
  expect(listed(withConversation(data, fresh))).toEqual([[fresh, newer], [older]]);
  const empty = { pages: [{ conversations: [], nextCursor: null }], pageParams: [undefined] };
  expect(listed(withConversation(empty, fresh))).toEqual([[fresh]]);
});

test('a conversation older than the loaded pages is not added', () => {
  expect(withConversation(data, talk('conv_oldest', 10))).toBe(data);
});
