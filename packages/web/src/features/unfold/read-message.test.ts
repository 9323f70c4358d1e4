import type { Message } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { firstLineOf, type ReadOneMessage, readMessage } from './read-message.ts';

const message = (id: string): Message => ({
  id,
  projectId: 'prj_a',
  senderId: 'user',
  senderName: 'Kana',
  sender: 'user',
  content: id,
  createdAt: '2026-11-28T10:00:00.000Z',
  visible: true,
  state: 'stored',
  seq: 1,
});

/** Pages as `listMessages` gives them; of an unknown message it knows no page. */
function chatOf(...ids: readonly string[]): ReadOneMessage {
  return ({ after, before }) => {
    const place = ids.indexOf(after ?? before ?? '');
    if (place < 0 && (after ?? before) !== undefined) return Promise.reject(new Error('not found'));
    const at = after === undefined ? (before === undefined ? ids.length : place) - 1 : place + 1;
    return Promise.resolve({ messages: ids.slice(Math.max(at, 0), at + 1).map(message) });
  };
}

test.each(['msg_a', 'msg_b', 'msg_c'])('%s is read, wherever it stands', async (id) => {
  expect((await readMessage(chatOf('msg_a', 'msg_b', 'msg_c'), id))?.id).toBe(id);
});

test('a message that came between the two reads is not taken for it', async () => {
  let calls = 0;
  const read: ReadOneMessage = (query) => {
    calls += 1;
    return chatOf(...(calls === 1 ? ['msg_a'] : ['msg_a', 'msg_b']))(query);
  };
  expect(await readMessage(read, 'msg_a')).toBeNull();
});

test('of an unknown one nothing is read', async () => {
  await expect(readMessage(chatOf('msg_a'), 'msg_z')).rejects.toThrow('not found');
});

test.each([
  ['Hello\nyou', 'Hello'],
  ['\n\n## Left over\n\ntext', 'Left over'],
  ['- [x] done', '[x] done'],
  ['```ts\nconst a = 1;\n```', 'const a = 1;'],
  ['> 引用です', '引用です'],
  ['```\n```', ''],
  ['x'.repeat(201), `${'x'.repeat(200)}…`],
])('the first line of %j', (content, line) => {
  expect(firstLineOf(content)).toBe(line);
});
