import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whenLoaded } from './when-loaded.ts';

/** Without requestIdleCallback, as in Safari: idle is 200 ms later. */
const IDLE_MS = 200;
const LATEST_MS = 2_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A read that is answered when the returned function is called. */
function read(client: QueryClient, name: string): () => void {
  const { promise, resolve } = Promise.withResolvers<string>();
  void client.prefetchQuery({ queryKey: [name], queryFn: () => promise });
  return () => resolve('read');
}

test('waits for all first reads, and then until the browser is idle', async () => {
  const client = new QueryClient();
  const work = vi.fn();
  const [answerTasks, answerAgents] = [read(client, 'tasks'), read(client, 'agents')];
  whenLoaded(work, client);
  answerTasks();
  await vi.advanceTimersByTimeAsync(2 * IDLE_MS);
  expect(work).not.toHaveBeenCalled();
  answerAgents();
  await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
  expect(work).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(work).toHaveBeenCalledOnce();
});

test('a read that begins before the browser is idle counts, one that is repeated does not', async () => {
  const client = new QueryClient();
  client.setQueryData(['agents'], 'known');
  const [early, late] = [vi.fn(), vi.fn()];
  whenLoaded(early, client);
  const answer = read(client, 'tasks');
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(early).not.toHaveBeenCalled();
  answer();
  await vi.advanceTimersByTimeAsync(IDLE_MS + 1);
  expect(early).toHaveBeenCalledOnce();
  void client.fetchQuery({ queryKey: ['agents'], queryFn: () => new Promise(() => undefined), staleTime: 0 });
  whenLoaded(late, client);
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(late).toHaveBeenCalledOnce();
});

test('a read that hangs holds it back for two seconds, and what was cancelled does not come', async () => {
  const client = new QueryClient();
  const [work, cancelled] = [vi.fn(), vi.fn()];
  read(client, 'tasks');
  whenLoaded(work, client);
  const cancel = whenLoaded(cancelled, client);
  await vi.advanceTimersByTimeAsync(IDLE_MS + LATEST_MS - 1);
  expect(work).not.toHaveBeenCalled();
  cancel();
  await vi.advanceTimersByTimeAsync(IDLE_MS + 1);
  expect(work).toHaveBeenCalledOnce();
  expect(cancelled).not.toHaveBeenCalled();
});
