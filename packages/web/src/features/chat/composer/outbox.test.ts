import type { Message } from '@aizuchi/shared/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../../lib/api/api-error.ts';
import { Outbox } from './outbox.ts';

const stored = new Map<string, string>();
const posts: string[] = [];
const answers: (ApiError | undefined)[] = [];
let count = 0;
const create = () => {
  const outbox = new Outbox({
    storageKey: 'outbox.test',
    newId: () => {
      count += 1;
      return `client-${count}`;
    },
    post: async ({ clientMessageId, content, attachments = [] }) => {
      posts.push([clientMessageId, content, ...attachments].join(' '));
      const failure = answers.shift();
      if (failure) throw failure;
      return { id: `msg_${clientMessageId}`, content } as Message;
    },
  });
  outbox.onStored((clientMessageId, { id }) => stored.set(clientMessageId, id));
  return outbox;
};

beforeEach(() => {
  vi.useFakeTimers();
  const values = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  stored.clear();
  posts.length = 0;
  answers.length = 0;
  count = 0;
});

test('sends in order, and repeats a call without a response with the same clientMessageId', async () => {
  answers.push(new ApiError('network', ''));
  const outbox = create();
  outbox.add('one', 0);
  outbox.add('two', 0);
  await vi.advanceTimersByTimeAsync(0);
  expect(outbox.pending.get().map(({ state }) => state)).toEqual(['waiting', 'sending']);
  await vi.advanceTimersByTimeAsync(500);
  expect(posts).toEqual(['client-1 one', 'client-1 one', 'client-2 two']);
  expect([...stored.keys()]).toEqual(['client-1', 'client-2']);
  expect(outbox.pending.get()).toEqual([]);
});

test('a refused message stays until it is retried or removed, and does not block the others', async () => {
  answers.push(new ApiError('project_archived', '', { status: 409 }));
  const outbox = create();
  outbox.add('one', 0);
  outbox.add('two', 0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(posts).toEqual(['client-1 one', 'client-2 two']);
  expect(outbox.pending.get()).toMatchObject([{ state: 'refused', error: { code: 'project_archived' } }]);
  outbox.retry('client-1');
  await vi.advanceTimersByTimeAsync(0);
  expect(outbox.pending.get()).toEqual([]);
});

test('after a reconnect it sends without waiting for the backoff', async () => {
  answers.push(...Array.from({ length: 5 }, () => new ApiError('network', '')));
  const outbox = create();
  outbox.add('one', 0);
  await vi.advanceTimersByTimeAsync(3_600);
  const before = posts.length;
  answers.length = 0;
  outbox.retry();
  await vi.advanceTimersByTimeAsync(0);
  expect(posts.length).toBe(before + 1);
  expect(stored.size).toBe(1);
});

test('pending messages survive a reload', async () => {
  answers.push(new ApiError('network', ''));
  const file = { id: 'fil_1', name: 'a.txt', mediaType: 'text/plain', size: 1 };
  create().add('one', 7, [file]);
  await vi.advanceTimersByTimeAsync(0);
  const reloaded = create();
  expect(reloaded.pending.get()).toMatchObject([
    { clientMessageId: 'client-1', content: 'one', afterSeq: 7, attachments: [file] },
  ]);
  await vi.advanceTimersByTimeAsync(0);
  expect(posts).toEqual(['client-1 one fil_1', 'client-1 one fil_1']);
  expect(reloaded.pending.get()).toEqual([]);
});
