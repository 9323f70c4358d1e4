import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { MemorySearch } from '../../src/contract/memory.ts';
import { MemoryClient } from '../../src/core/memory/memory-client.ts';
import { createLogger } from '../../src/platform/logger.ts';

const FOUND: MemorySearch = { runId: 'ret_1', degraded: ['no_embedding'], timings: { words: 1 }, items: [] };
const RECALLED = { runId: 'ret_2', degraded: [], pack: { selected: [] } };
const AWAY = { runId: null, degraded: ['memory_unavailable'], pack: { selected: [] } };
const SCOPE = { agentId: 'agt_a', projectId: 'prj_a' };
const SEARCH = { query: 'cats', limit: 10, expand: true };
const INPUT = { text: 'cats', clientId: 'c' };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(handler: RequestListener, port = 0): Promise<string> {
  const server = createServer(handler);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port }, resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(url: string | undefined, searchMs?: number): MemoryClient {
  const logger = createLogger('test', { level: 'silent' });
  return new MemoryClient({ url, token: 'secret', logger, ...(searchMs && { searchMs }) });
}

/** Answers both calls, and notes what it was asked. */
function answering(seen: unknown[]): RequestListener {
  return (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      seen.push({ path: request.url, token: request.headers.authorization, ...(text && JSON.parse(text)) });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url === '/internal/search' ? FOUND : RECALLED));
    });
  };
}

test('both calls arrive with the token, their scope by name, and a budget that leaves time for the way', async () => {
  const seen: unknown[] = [];
  const client = clientOf(await listening(answering(seen)));
  expect(await client.search(SCOPE, SEARCH)).toEqual(FOUND);
  expect(await client.search({ agentId: 'agt_a', projectId: undefined }, SEARCH)).toEqual(FOUND);
  expect(await client.recall({ agentId: 'agt_a', projectId: null }, { ...INPUT, budgetMs: 10_000 })).toEqual(
    RECALLED,
  );
  const token = 'Bearer secret';
  expect(seen).toEqual([
    { path: '/internal/search', token, scope: SCOPE, body: SEARCH },
    { path: '/internal/search', token, scope: { agentId: 'agt_a', everything: true }, body: SEARCH },
    {
      path: '/internal/recall',
      token,
      scope: { agentId: 'agt_a', projectId: null },
      input: { ...INPUT, budgetMs: 9_900 },
    },
  ]);
});

test.each<[string, RequestListener]>([
  ['refuses', (_, response) => response.writeHead(401).end('{"error":{"code":"unauthenticated"}}')],
  ['answers something else', (_, response) => response.end('{"runId":1}')],
  ['answers no JSON', (_, response) => response.end('<html>')],
  ['sends its callers elsewhere', (_, response) => response.writeHead(307, { location: '/' }).end()],
  ['cuts the connection', ({ socket }) => socket.destroy()],
])('a service that %s: a search is unavailable, a recall is empty', async (_, handler) => {
  const client = clientOf(await listening(handler));
  await expect(client.search(SCOPE, SEARCH)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 2,
  });
  expect(await client.recall(SCOPE, INPUT)).toEqual(AWAY);
});

test('without an address, memory is away', async () => {
  const client = clientOf(undefined);
  await expect(client.search(SCOPE, SEARCH)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await client.recall(SCOPE, INPUT)).toEqual(AWAY);
});

test('a service that was away is used as soon as it listens again', async () => {
  const url = await listening(answering([]));
  const client = clientOf(url);
  await client.search(SCOPE, SEARCH);
  const [server] = servers.splice(0);
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  await expect(client.search(SCOPE, SEARCH)).rejects.toMatchObject({ code: 'unavailable' });
  await listening(answering([]), Number(new URL(url).port));
  expect(await client.search(SCOPE, SEARCH)).toEqual(FOUND);
});

test('one call waits for a service that does not answer, the next ones do not, until it answers', async () => {
  let isStopped = true;
  const answer = answering([]);
  let calls = 0;
  const url = await listening((request, response) => {
    if (request.method === 'POST') calls += 1;
    if (!isStopped) answer(request, response);
  });
  const client = clientOf(url, 1_000);
  await expect(client.search(SCOPE, SEARCH)).rejects.toMatchObject({ code: 'unavailable' });
  const before = performance.now();
  const asked = calls;
  for (let count = 0; count < 50; count += 1) expect(await client.recall(SCOPE, INPUT)).toEqual(AWAY);
  expect(performance.now() - before).toBeLessThan(20_000);
  expect(calls).toBe(asked);
  isStopped = false;
  await expect.poll(() => client.recall(SCOPE, INPUT)).toEqual(RECALLED);
});

test('a short budget that ends says nothing about the service', async () => {
  let isSlow = true;
  const answer = answering([]);
  const client = clientOf(await listening((...call) => void (isSlow || answer(...call))));
  const before = performance.now();
  expect(await client.recall(SCOPE, { ...INPUT, budgetMs: 30 })).toEqual(AWAY);
  expect(performance.now() - before).toBeLessThan(10_000);
  isSlow = false;
  expect(await client.recall(SCOPE, INPUT)).toEqual(RECALLED);
});
