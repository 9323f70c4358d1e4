import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { SseReply } from './sse-reply.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const stop of stops.splice(0)) stop();
});

/** The server's side of a request, and what its client receives. */
async function exchange() {
  const arrived = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => arrived.resolve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const request = get({ port, host: '127.0.0.1', agent: false });
  stops.push(
    () => request.destroy(),
    () => server.close(),
  );
  const heard = once(request, 'response').then(async ([response]) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    return { type: response.headers['content-type'], text };
  });
  return { response: await arrived.promise, request, heard };
}

test('an early answer is sent in one piece', async () => {
  const { response, heard } = await exchange();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reply = new SseReply(response, 100);
  expect(response.headersSent).toBe(false);
  reply.end({ id: 1 });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  expect(await heard).toEqual({ type: 'text/event-stream', text: 'event: message\ndata: {"id":1}\n\n' });
});

test('a later answer sends its headers first, and progress before the result', async () => {
  const { response, request, heard } = await exchange();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reply = new SseReply(response, 100);
  vi.advanceTimersByTime(100);
  vi.useRealTimers();
  await once(request, 'response');
  reply.message({ progress: 1 });
  reply.end({ id: 1 });
  expect((await heard).text.split('\n').filter((line) => line.startsWith('data:'))).toEqual([
    'data: {"progress":1}',
    'data: {"id":1}',
  ]);
});

test('no stream is opened for a call that was cancelled', async () => {
  const { response, heard } = await exchange();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reply = new SseReply(response, 100);
  response.end();
  reply.abandon();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  expect((await heard).text).toBe('');
});
