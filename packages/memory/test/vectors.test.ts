import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MemoryClient } from '@aizuchi/shared/core/memory/memory-client';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { ServiceProcesses } from '@aizuchi/shared/testing/service-process';
import { ServiceWorld } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { FakeOpenAi } from '../../../tests/fixtures/fake-openai.ts';
import { tell } from '../../shared/test/memory/memory-support.ts';
import { meaningOf } from '../../shared/test/memory/vector-support.ts';

/* The service with a model for embeddings, which is a script on loopback. */

const MAIN = fileURLToPath(new URL('../../../dist/memory.js', import.meta.url));
const TOKEN = 'internal-token-of-tests';
const KEY = 'key-of-the-embedding-model';
const DOCUMENTS = 150;

let world: ServiceWorld;
let services: ServiceProcesses;
let server: FakeOpenAi;
beforeAll(async () => {
  world = await ServiceWorld.create();
  services = new ServiceProcesses(MAIN, {
    AIZUCHI_HOME: world.root,
    DATABASE_URL: world.database.url,
    MEMORY_PORT: '0',
    MEMORY_GROWTH: 'off',
    AIZUCHI_INTERNAL_TOKEN: TOKEN,
  });
  server = await FakeOpenAi.start(() => ({ status: 500 }));
});
beforeEach(async () => {
  await world.database.pool.query('delete from memory_embedding');
  await world.database.pool.query('delete from memory_events');
  server.embedding = (texts) => texts.map(meaningOf);
  server.embedded.length = 0;
});
afterEach(() => services.killAll());
afterAll(async () => {
  await server.close();
  await world.close();
});

const run = () =>
  services.run({ EMBEDDING_BASE_URL: server.baseUrl, EMBEDDING_MODEL: 'm', EMBEDDING_API_KEY: KEY });

function clientOf(url: string): MemoryClient {
  const logger = createLogger('test', { level: 'silent' });
  return new MemoryClient({ url, token: TOKEN, logger, searchMs: LONG_TIMEOUT_MS });
}

async function embeddedOf(agentId: string): Promise<number> {
  const { rows } = await world.database.pool.query<{ count: number }>(
    'select count(*)::int as count from memory_vectors where agent_id = $1 and vector is not null',
    [agentId],
  );
  return rows[0]?.count ?? 0;
}

test('what was said is found in other words, soon after it was stored', async () => {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  const { projectId, agentId } = membership;
  const client = clientOf(await run().ready());
  await world.chat.post(world.owner, { projectId, agentId, content: 'My hound barks.' });
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'I see.' });
  const found = async () => {
    const { items } = await client.search(
      { agentId, projectId },
      { query: 'puppy', limit: 5, expand: false },
    );
    return items.map(({ hitSources, text }) => [hitSources, text]);
  };
  await expect.poll(found).toEqual([[['vector'], expect.stringContaining('My hound barks.')]]);
});

test('without a model it asks nobody, notes nothing, and has no thread for it', async () => {
  const { agentId } = await world.agentInProject();
  await tell(world.database, [{ agentId, text: 'hound' }]);
  const url = await services.run().ready();
  const body = { query: 'hound', limit: 5, expand: false };
  const found = async () => {
    const { items, degraded } = await clientOf(url).search({ agentId, projectId: null }, body);
    return [items.length, degraded];
  };
  // The first search of a process may be late.
  await expect.poll(found).toEqual([1, ['no_embedding']]);
  const { rows } = await world.database.pool.query(
    `select application_name from pg_stat_activity
     where datname = current_database() and application_name = 'aizuchi-memory-vectors'`,
  );
  expect([rows, server.embedded]).toEqual([[], []]);
  expect((await world.database.pool.query('select from memory_embedding')).rowCount).toBe(0);
  expect(await (await fetch(`${url}/metrics`)).text()).not.toContain('embed');
});

test('killed in the middle of a batch: at the end everything is embedded, and what was stored is not sent again', async () => {
  const { agentId } = await world.agentInProject();
  const texts = Array.from({ length: DOCUMENTS }, (_, n) => `note ${n}.`);
  await tell(
    world.database,
    texts.map((text) => ({ agentId, text })),
  );
  const hung = Promise.withResolvers<void>();
  // The batch after the first one is never answered.
  server.embedding = (asked) => {
    if (!asked.some((text) => text.endsWith('note 80.'))) return asked.map(meaningOf);
    hung.resolve();
    return new Promise(() => undefined);
  };
  const first = run();
  await first.ready();
  await hung.promise;
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const stored = await embeddedOf(agentId);
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(DOCUMENTS);

  server.embedding = (asked) => asked.map(meaningOf);
  server.embedded.length = 0;
  const second = run();
  const url = await second.ready();
  await expect.poll(() => embeddedOf(agentId)).toBe(DOCUMENTS);
  const sent = server.embedded.flatMap((request) => request.texts).filter((text) => text.includes('note '));
  expect(sent).toHaveLength(DOCUMENTS - stored);
  expect(new Set(sent).size).toBe(sent.length);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  await expect.poll(metrics).toContain(`aizuchi_memory_embedded_documents_total ${DOCUMENTS - stored}`);
});

test('it ends with 0 while a request is not answered, and its log has no key', async () => {
  const { agentId } = await world.agentInProject();
  await tell(world.database, [{ agentId, text: 'refused first' }]);
  let isRefused = false;
  const hung = Promise.withResolvers<void>();
  server.embedding = () => {
    if (!isRefused) {
      isRefused = true;
      return { status: 401, message: `the key ${KEY} is not known` };
    }
    hung.resolve();
    return new Promise(() => undefined);
  };
  const service = run();
  let output = '';
  service.child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await service.ready();
  await hung.promise;
  service.child.kill('SIGTERM');
  // At its exit what it wrote may not be read yet.
  expect((await once(service.child, 'close'))[0], service.stderr()).toBe(0);
  expect(output + service.stderr()).toContain('texts cannot be embedded');
  expect(output + service.stderr()).not.toContain(KEY);
});
