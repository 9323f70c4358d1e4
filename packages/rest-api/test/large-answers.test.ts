import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestWorld } from './rest-world.ts';

let world: RestWorld;
beforeAll(async () => {
  // No sweeper runs: this test alone uses the connections of the pool.
  world = await RestWorld.create();
});
afterAll(() => world.close());

test('a client that requests many pages at once leaves connections for others', async () => {
  const { projectId, agentId } = await world.project();
  const viewer = await world.person('viewer', { projects: [projectId] });
  const owner = await world.owner();
  const lock = await world.context.database.pool.connect();
  await lock.query('begin');
  await lock.query('lock table chat_messages in access exclusive mode');
  const url = `/api/projects/${projectId}/agents/${agentId}/chat/messages`;
  const asked = Promise.all(Array.from({ length: 12 }, () => world.call(viewer, 'GET', url)));
  const waiting = async () =>
    (await lock.query(`select from pg_locks where relation = 'chat_messages'::regclass and not granted`))
      .rowCount ?? 0;
  // Four requests with two statements each; this test itself holds one connection of ten.
  while ((await waiting()) < 8) await new Promise((resolve) => setImmediate(resolve));
  const others = await world.call(owner, 'GET', '/api/projects');
  await lock.query('commit');
  lock.release();
  expect(others.status).toBe(200);
  expect((await asked).map(({ status }) => status)).toEqual(Array(12).fill(200));
});
