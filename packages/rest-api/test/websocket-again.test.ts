import { publishDelta } from '@aizuchi/shared/platform/change-log/delta';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { breakLockedRead } from './break-read.ts';
import { type Caller, RestWorld } from './rest-world.ts';
import { type Frame, SocketClient } from './socket-client.ts';

/* A page that opens a chat subscribes again to the project that it follows, with the viewer of the chat. */

let world: RestWorld;
let owner: Caller;
beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  owner = await world.owner();
});
afterAll(() => world.close());

async function follower() {
  const membership = await world.project();
  const client = await SocketClient.open(world.port, { authorization: `Bearer ${owner.token}` });
  onTestFinished(() => client.close());
  const { cursor } = await client.subscribe(membership.projectId);
  const createTask = async (title: string) => {
    const path = `/api/projects/${membership.projectId}/tasks`;
    const { body } = await world.call(owner, 'POST', path, { title });
    return (frame: Frame) => frame.type === 'task_changed' && JSON.stringify(frame.task).includes(body.id);
  };
  return { ...membership, client, cursor, createTask };
}

async function locked(statement: string) {
  const holder = new pg.Client({ connectionString: world.context.database.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query(statement);
  return async () => {
    await holder.query('rollback');
    await holder.end();
  };
}

async function untilBlocked(statement: string): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like $1`;
  const { pool } = world.context.database;
  await expect.poll(async () => (await pool.query(waiting, [`%${statement}%`])).rowCount).toBeGreaterThan(0);
}

test('while it is subscribed again from its last cursor no piece of an answer is lost, and no frame comes twice', async () => {
  const { client, createTask, ...membership } = await follower();
  const isFirst = await createTask('before');
  const { cursor } = await client.heard(isFirst);
  const release = await locked('lock table session_viewers in access exclusive mode');
  client.send({ type: 'subscribe', projectId: membership.projectId, viewerId: 'tab-1', cursor });
  await untilBlocked('update "session_viewers"');
  const delta = { projectId: membership.projectId, agentId: membership.agentId, messageId: 'msg_1' };
  await publishDelta(world.context.database.pool, { ...delta, text: 'あい', offset: 0 });
  await client.heard(({ type }) => type === 'message_delta');
  const isSecond = await createTask('meanwhile');
  await client.heard(isSecond);
  await release();
  const isSubscribed = ({ type }: Frame) => type === 'subscribed';
  await expect.poll(() => client.frames.filter(isSubscribed).length).toBe(2);
  await client.heard(await createTask('after'));
  await client.settled();
  for (const isIt of [isFirst, isSecond]) expect(client.frames.filter(isIt)).toHaveLength(1);
  const cursors = client.frames.flatMap(({ cursor: one }) => one ?? []);
  expect(cursors).toEqual(cursors.toSorted());
});

test('from a cursor before the one that it began with, what came between is sent', async () => {
  const { client, createTask, projectId, cursor } = await follower();
  const isIt = await createTask('between');
  await client.heard(isIt);
  const next = await SocketClient.open(world.port, { authorization: `Bearer ${owner.token}` });
  onTestFinished(() => next.close());
  await next.subscribe(projectId);
  expect(next.frames.filter(isIt)).toEqual([]);
  expect(await next.subscribe(projectId, { cursor })).toMatchObject({ reset: false });
  expect(next.frames.filter(isIt)).toHaveLength(1);
});

test('when that fails the client is told, and the subscription goes on', async () => {
  const { client, createTask, projectId, cursor } = await follower();
  const release = await locked('lock table user_questions in access exclusive mode');
  client.send({ type: 'subscribe', projectId, cursor });
  await breakLockedRead(world.context.database.pool, 'q[.]follows, q[.]questions');
  await client.heard(({ type, code }) => type === 'error' && code === 'unavailable');
  await release();
  await client.heard(await createTask('after'));
});
