import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

test('answers that wait for a Coordinator keep no place from the other reads of their caller', async () => {
  const { projectId, agentId } = await world.project();
  const owner = await world.owner();
  const { db } = world.context.database;
  const of = { agentId, projectId, coordinatorId: 'host-a' };
  const now = await world.context.database.now();
  await db
    .insertInto('coordinators')
    .values({
      id: 'host-a',
      host: 'h',
      bootId: 'b',
      capacity: 1,
      lastSeenAt: new Date(now.getTime() + 3_600_000),
    })
    .execute();
  await db
    .insertInto('agentRuns')
    .values({ id: 'run_looked_at', ...of, purpose: 'chat', provider: 'command', state: 'running' })
    .execute();
  await db
    .insertInto('worktrees')
    .values({
      ...{
        runId: 'run_looked_at',
        madeFor: 'run_looked_at',
        coordinatorId: 'host-a',
        branch: 'aizuchi/run_looked_at',
      },
      ...{ baseCommit: 'b'.repeat(40), createdAt: now },
    })
    .execute();
  const looking = vi.spyOn(world.context.changes, 'get');
  let answered = 0;
  const looks = Array.from({ length: 6 }, async () => {
    const { status } = await world.call(owner, 'GET', '/api/runs/run_looked_at/changes');
    answered += 1;
    return status;
  });
  await expect.poll(() => looking.mock.calls.length).toBeGreaterThanOrEqual(4);
  const messages = `/api/projects/${projectId}/agents/${agentId}/chat/messages`;
  expect((await world.call(owner, 'GET', messages)).status).toBe(200);
  expect(answered, 'the Coordinator has not answered yet').toBe(0);
  await db.updateTable('worktrees').set({ orderKind: null, seenAt: now }).execute();
  expect(await Promise.all(looks)).toEqual(Array(6).fill(200));
});

test('a person who searches many times at once leaves connections for others', async () => {
  const { projectId } = await world.project();
  const viewer = await world.person('viewer', { projects: [projectId] });
  const owner = await world.owner();
  const lock = await world.context.database.pool.connect();
  await lock.query('begin');
  await lock.query('lock table tasks in access exclusive mode');
  const search = { query: 'heron', kinds: ['task'] };
  const asked = Promise.all(
    Array.from({ length: 12 }, () => world.call(viewer, 'POST', `/api/projects/${projectId}/search`, search)),
  );
  const waiting = async () =>
    (await lock.query(`select from pg_locks where relation = 'tasks'::regclass and not granted`)).rowCount ??
    0;
  await expect.poll(waiting).toBeGreaterThanOrEqual(4);
  expect((await world.call(owner, 'GET', '/api/projects')).status).toBe(200);
  expect(await waiting()).toBe(4);
  await lock.query('commit');
  lock.release();
  expect((await asked).map(({ status }) => status)).toEqual(Array(12).fill(200));
});
