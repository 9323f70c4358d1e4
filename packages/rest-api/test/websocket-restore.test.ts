import { migrate } from '@aizuchi/shared/platform/db/migrate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';
import { type Frame, SocketClient } from './socket-client.ts';

/* The database was restored from a dump of another cluster, and a process starts on it. */

let world: RestWorld;
let owner: Caller;
let projectId: string;
beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  owner = await world.owner();
  ({ projectId } = await world.project());
  await start();
});
afterAll(() => world.close());

const start = () => migrate(world.context.database.url);
const open = () => SocketClient.open(world.port, { authorization: `Bearer ${owner.token}` });
const createTask = async (title: string): Promise<string> =>
  (await world.call(owner, 'POST', `/api/projects/${projectId}/tasks`, { title })).body.id;
const isAbout = (id: string) => (frame: Frame) => JSON.stringify(frame).includes(id);

test('an old cursor is answered with a reset, also when the new cluster is already past it; later frames arrive', async () => {
  const client = await open();
  const { cursor } = await client.subscribe(projectId);
  await client.close();
  await world.context.database.pool.query(
    `insert into change_log (project_id, kind, ref, xid) values ($1, 'task', '{"taskId": "tsk_of_old"}', '9000000000000')`,
    [projectId],
  );
  await start();
  // The cursor claims to know everything up to this task, so without a reset the client would miss it.
  await createTask('after the restore');
  const next = await open();
  const subscribed = await next.subscribe(projectId, { cursor });
  expect(subscribed).toMatchObject({ reset: true });
  await next.heard(isAbout(await createTask('live')));
  expect(next.frames.some(isAbout('tsk_of_old'))).toBe(false);
  await next.close();
  // A cursor of the new history works.
  const again = await open();
  expect(await again.subscribe(projectId, { cursor: subscribed.cursor })).toMatchObject({ reset: false });
  expect(again.frames.some(isAbout('live'))).toBe(true);
  await again.close();
});

test('a page that stays open during a restore is disconnected, reconnects and is told to reload', async () => {
  const client = await open();
  const { cursor } = await client.subscribe(projectId);
  client.send({ type: 'subscribe_inbox' });
  await client.heard(({ type }) => type === 'inbox_changed');
  await world.context.database.pool.query(`update log_epoch set cluster = 'of another one'`);
  await start();
  expect(await client.closed).toBe(4410);
  const next = await open();
  expect(await next.subscribe(projectId, { cursor })).toMatchObject({ reset: true });
  await next.heard(isAbout(await createTask('live again')));
  await next.close();
});
