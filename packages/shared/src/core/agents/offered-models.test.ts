import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { offeredModels } from './offered-models.ts';

const OWNER = { id: 'owner', name: 'Owner', accessLevel: 'owner' as const };
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const answering = (status: number, body: string, headers = {}) =>
  serve((request, response) => {
    response.writeHead(request.url === '/v1/models' ? status : 404, headers).end(body);
  });

it('are the names, each once and in order', async () => {
  const data = [{ id: 'qwen3:8b', size: 5 }, { id: 'llama3.2' }, { id: 'qwen3:8b' }];
  const baseUrl = await answering(200, JSON.stringify({ object: 'list', data }));
  const models = ['llama3.2', 'qwen3:8b'];
  expect(await offeredModels(OWNER, { baseUrl })).toEqual({ models });
  expect(await offeredModels(OWNER, { baseUrl: `${baseUrl}/` })).toEqual({ models });
});

it('where there is no list, the answer says why', async () => {
  const problemOf = async (baseUrl: string) => (await offeredModels(OWNER, { baseUrl })).problem;
  expect(await problemOf(await answering(401, '{}'))).toBe('needs_key');
  expect(await problemOf(await answering(404, '{}'))).toBe('not_understood');
  expect(await problemOf(await answering(200, '<html>'))).toBe('not_understood');
  expect(await problemOf(await answering(200, '{"data":"secret"}'))).toBe('not_understood');
  expect(await problemOf(await answering(200, ' '.repeat(1_100_000)))).toBe('not_understood');
  const gone = await serve((request) => request.destroy());
  expect(await problemOf(gone)).toBe('unreachable');
});

it('does not follow to another address', async () => {
  let asked = 0;
  const other = await serve((_request, response) => {
    asked += 1;
    response.end('{"data":[{"id":"inside"}]}');
  });
  const baseUrl = await answering(302, '', { location: `${other}/models` });
  expect(await offeredModels(OWNER, { baseUrl })).toEqual({ models: [], problem: 'not_understood' });
  expect(asked).toBe(0);
});

it('is for owners', async () => {
  const member = { ...OWNER, accessLevel: 'member' as const };
  await expect(offeredModels(member, { baseUrl: 'http://127.0.0.1:9' })).rejects.toMatchObject({
    code: 'forbidden',
  });
});
