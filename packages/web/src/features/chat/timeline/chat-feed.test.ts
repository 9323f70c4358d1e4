import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../../lib/api/api-error.ts';
import { ChatFeed, type PageQuery } from './chat-feed.ts';

const thread: Message[] = [];
const asked: PageQuery[] = [];
const failures: ApiError[] = [];

const add = (count: number) => {
  for (let added = 0; added < count; added += 1) {
    const seq = thread.length + 1;
    thread.push({
      id: `msg_${seq}`,
      projectId: 'prj_a',
      senderId: 'agt_a',
      senderName: 'A',
      sender: 'agent',
      content: `${seq}`,
      createdAt: '2026-11-21T10:00:00.000Z',
      visible: true,
      state: 'answered',
      seq,
    });
  }
};
const read = async ({ after, before, limit }: PageQuery): Promise<MessagePage> => {
  asked.push({ limit, ...(after && { after }), ...(before && { before }) });
  const failure = failures.shift();
  if (failure) throw failure;
  const at = thread.findIndex(({ id }) => id === (after ?? before));
  if ((after ?? before) !== undefined && at < 0) throw new ApiError('message_not_found', '', { status: 404 });
  const range = after ? thread.slice(at + 1) : before ? thread.slice(0, at) : thread;
  return {
    messages: after ? range.slice(0, limit) : range.slice(-limit),
    hasMore: range.length > limit,
    totalCount: thread.length,
  };
};
const seqs = (feed: ChatFeed) => feed.timeline.get().messages.map(({ seq }) => seq);
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  for (const list of [thread, asked, failures]) list.length = 0;
});

test('reads the newest page first, then older ones; after a gap everything that came since', async () => {
  add(200);
  const feed = new ChatFeed(read);
  feed.catchUp();
  await expect.poll(() => seqs(feed)).toEqual(upTo(151, 200));
  await feed.loadOlder();
  expect(seqs(feed)).toEqual(upTo(51, 200));
  add(450);
  feed.catchUp();
  await expect.poll(() => seqs(feed)).toEqual(upTo(51, 650));
  expect(asked.slice(2)).toEqual([
    { after: 'msg_200', limit: 200 },
    { after: 'msg_400', limit: 200 },
    { after: 'msg_600', limit: 200 },
  ]);
});

test('after a page that was read early, what came before the socket listened is read, but not at once', async () => {
  add(3);
  const feed = new ChatFeed(async (query) => {
    const page = await read(query);
    return query.after === undefined ? { ...page, isEarly: true } : page;
  });
  feed.catchUp();
  await vi.advanceTimersByTimeAsync(0);
  expect(seqs(feed)).toEqual(upTo(1, 3));
  add(1);
  await vi.advanceTimersByTimeAsync(499);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(seqs(feed)).toEqual(upTo(1, 4));
});

test('a temporary failure is retried, a refusal is reported', async () => {
  add(1);
  failures.push(new ApiError('network', ''), new ApiError('unavailable', '', { status: 503 }));
  const feed = new ChatFeed(read);
  feed.catchUp();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(seqs(feed)).toEqual([1]);
  expect(feed.error.get()).toBeUndefined();
  failures.push(new ApiError('project_not_found', '', { status: 404 }));
  feed.catchUp();
  await expect.poll(() => feed.error.get()).toMatchObject({ code: 'project_not_found' });
});

test('a linked message is found in older pages; a missing one costs one call', async () => {
  add(700);
  const feed = new ChatFeed(read);
  feed.catchUp();
  await expect.poll(() => feed.timeline.get().isLoaded).toBe(true);
  expect(await feed.find('msg_20')).toBe(true);
  expect(seqs(feed)).toEqual(upTo(1, 700));
  asked.length = 0;
  expect(await feed.find('msg_nowhere')).toBe(false);
  expect(asked).toHaveLength(1);
});
