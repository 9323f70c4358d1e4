import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MemoryClient } from '@aizuchi/shared/core/memory/memory-client';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { ServiceProcesses } from '@aizuchi/shared/testing/service-process';
import { ServiceWorld } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findTestPort } from '../../../scripts/postgres/free-port.ts';

const MAIN = fileURLToPath(new URL('../../../dist/memory.js', import.meta.url));
const TOKEN = 'internal-token-of-tests';
const QUERY = { query: 'Tama', limit: 10, expand: true };

let world: ServiceWorld;
let services: ServiceProcesses;
beforeAll(async () => {
  world = await ServiceWorld.create();
  services = new ServiceProcesses(MAIN, {
    AIZUCHI_HOME: world.root,
    DATABASE_URL: world.database.url,
    MEMORY_PORT: '0',
    MEMORY_GROWTH: 'off',
    AIZUCHI_INTERNAL_TOKEN: TOKEN,
  });
});
afterEach(() => services.killAll());
afterAll(() => world.close());

function clientOf(url: string, { token = TOKEN, searchMs = LONG_TIMEOUT_MS } = {}): MemoryClient {
  return new MemoryClient({ url, token, logger: createLogger('test', { level: 'silent' }), searchMs });
}

async function warm() {
  const membership = await world.agentInProject();
  return { ...membership, ...(await world.warmAgent(membership)) };
}

async function say(agent: Awaited<ReturnType<typeof warm>>, question: string): Promise<void> {
  const { projectId, agentId, caller } = agent;
  await world.chat.post(world.owner, { projectId, agentId, content: question });
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'I see.' });
}

test('what was said is found, also what was said while the service was killed; and it ends with 0', async () => {
  const agent = await warm();
  const scope = { agentId: agent.agentId, projectId: agent.projectId };
  // The second one needs it again.
  const port = { MEMORY_PORT: String(await findTestPort()) };
  const first = services.run(port);
  const url = await first.ready();
  const client = clientOf(url);
  const found = async () => (await client.search(scope, QUERY)).items.map(({ text }) => text);
  await say(agent, 'My cat is called Tama.');
  await expect.poll(found).toEqual([expect.stringContaining('Tama')]);
  const recalled = async () => (await client.recall(scope, { text: 'Tama', clientId: 'c' })).pack.selected;
  // A collector of a busy machine may be late.
  await expect.poll(recalled).toHaveLength(1);

  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  await expect(client.search(scope, QUERY)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await client.recall(scope, { text: 'Tama', clientId: 'c' })).toMatchObject({
    degraded: ['memory_unavailable'],
  });
  await say(agent, 'Tama is white.');
  const second = services.run(port);
  await second.ready();
  await expect.poll(async () => (await found()).length).toBe(2);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toContain('aizuchi_memory_followed_events_total 1');
  second.child.kill('SIGTERM');
  expect((await once(second.child, 'close'))[0], second.stderr()).toBe(0);
});

test('a stopped process delays one call, and answers again when it goes on', async () => {
  const service = services.run();
  const url = await service.ready();
  const client = clientOf(url, { searchMs: 2_000 });
  const { agentId } = await world.agentInProject();
  const scope = { agentId, projectId: null };
  expect(await clientOf(url).search(scope, QUERY)).toMatchObject({ items: [] });
  service.child.kill('SIGSTOP');
  await expect(client.search(scope, QUERY)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(client.search(scope, QUERY)).rejects.toMatchObject({ code: 'unavailable' });
  service.child.kill('SIGCONT');
  await expect.poll(() => client.search(scope, QUERY).catch(() => undefined)).toMatchObject({ items: [] });
});

test('it opens to its token only, checks Host and bodies, and answers in the error form of the contract', async () => {
  const url = await services.run().ready();
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    const body: unknown = await response.json();
    return [response.status, body];
  };
  const refused = (code: string) => ({ error: { code, message: expect.any(String) } });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const post = (body: string, given: Record<string, string> = headers) => ({
    method: 'POST',
    body,
    headers: given,
  });
  const search = { scope: { agentId: 'a', projectId: null }, body: QUERY };
  expect(await call('/healthz')).toEqual([200, expect.objectContaining({ status: 'ok', service: 'memory' })]);
  expect(await call('/readyz')).toEqual([200, { status: 'ready' }]);
  expect(await call('/nope')).toEqual([404, refused('not_found')]);
  expect(await call('/internal/search', post('{}', { 'content-type': 'application/json' }))).toEqual([
    401,
    refused('unauthenticated'),
  ]);
  expect(await call('/internal/search', post('{}', { ...headers, authorization: 'Bearer x' }))).toEqual([
    401,
    refused('unauthenticated'),
  ]);
  expect(await call('/internal/search', post('{}', { ...headers, origin: 'http://evil.example' }))).toEqual([
    403,
    refused('origin_not_allowed'),
  ]);
  for (const body of [
    '{',
    '{}',
    JSON.stringify({ ...search, scope: { agentId: 'a' } }),
    JSON.stringify({ ...search, body: { ...QUERY, limit: 101 } }),
    JSON.stringify({ ...search, body: { ...QUERY, query: 'a\u0000' } }),
  ])
    expect(await call('/internal/search', post(body))).toEqual([400, refused('invalid_input')]);
  expect(await call('/internal/search', post(`"${'x'.repeat(1_048_577)}"`))).toEqual([
    413,
    refused('payload_too_large'),
  ]);
  await expect(
    clientOf(url, { token: 'wrong' }).search({ agentId: 'a', projectId: null }, QUERY),
  ).rejects.toMatchObject({
    code: 'unavailable',
  });
});

test('more calls at once than there are places wait for one, and all are answered', async () => {
  const client = clientOf(await services.run().ready());
  const { agentId } = await world.agentInProject();
  const scope = { agentId, projectId: null };
  const answers = await Promise.all(Array.from({ length: 60 }, () => client.search(scope, QUERY)));
  expect(answers).toHaveLength(60);
});

test('a port in use and a missing variable end the process with the code of the contract and one sentence', async () => {
  const first = services.run();
  const second = services.run({ MEMORY_PORT: new URL(await first.ready()).port });
  // At its exit what it wrote may not be read yet.
  expect((await once(second.child, 'close'))[0]).toBe(3);
  const third = services.run({ AIZUCHI_INTERNAL_TOKEN: '' });
  expect((await once(third.child, 'close'))[0]).toBe(2);
  expect(third.stderr().trim().split('\n')).toEqual([expect.stringContaining('AIZUCHI_INTERNAL_TOKEN')]);
});
