import { WS_CLOSE } from '@aizuchi/shared/contract/ws';
import { publishDelta } from '@aizuchi/shared/platform/change-log/delta';
import { logIsComplete } from '@aizuchi/shared/testing/log-is-complete';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';
import { type Frame, SocketClient } from './socket-client.ts';

/* From the commit that removes a right on, the sockets of its person get no frame of the project. */

let world: RestWorld;
let owner: Caller;
beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  owner = await world.owner();
});
afterAll(() => world.close());

const open = ({ token }: Caller) => SocketClient.open(world.port, { authorization: `Bearer ${token}` });
const isLost = (projectId: string) => (frame: Frame) =>
  frame.type === 'error' && frame.code === 'project_not_found' && frame.projectId === projectId;
const createTask = async (projectId: string, title: string) =>
  (await world.call(owner, 'POST', `/api/projects/${projectId}/tasks`, { title })).body.id;

/** Both are connected; the witness follows the project and shows which frames there were. */
async function listeners(access: 'member' | 'owner') {
  const membership = await world.project();
  const person = await world.person(access, { projects: [membership.projectId] });
  // That there is one more project is told to all: not to these any more.
  await logIsComplete(world.context.database);
  const [witness, client] = [await open(owner), await open(person)];
  await witness.subscribe(membership.projectId);
  return { membership, person, witness, client };
}

async function untilBlocked(): Promise<void> {
  for (;;) {
    const { rows } = await world.context.database.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '%session_viewers%'`,
    );
    if ((rows[0]?.n ?? 0) > 0) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

test('a membership that is removed between the check and going live is refused, without a frame', async () => {
  const { membership, person, witness, client } = await listeners('member');
  const chat = `/api/projects/${membership.projectId}/agents/${membership.agentId}/chat`;
  await world.call(person, 'POST', `${chat}/start`, { viewerId: 'tab-1' });
  // This socket is live already; it shows when the removal has taken effect.
  const early = await open(person);
  await early.subscribe(membership.projectId);
  const pausePoint = new pg.Client({ connectionString: world.context.database.url });
  await pausePoint.connect();
  await pausePoint.query('begin');
  await pausePoint.query('select from session_viewers where project_id = $1 for update', [
    membership.projectId,
  ]);
  client.send({ type: 'subscribe', projectId: membership.projectId, viewerId: 'tab-1' });
  // It has passed the check of membership and renews its lease next.
  await untilBlocked();
  const removed = await world.call(
    owner,
    'DELETE',
    `/api/projects/${membership.projectId}/agents/${person.id}`,
  );
  expect(removed.status).toBe(204);
  await early.heard(isLost(membership.projectId));
  await pausePoint.query('rollback');
  await pausePoint.end();
  await client.settled();
  const taskId = await createTask(membership.projectId, 'not for him');
  await witness.heard((frame) => JSON.stringify(frame).includes(taskId));
  await client.settled();
  expect(client.frames.filter(({ type }) => type !== 'pong')).toEqual([
    expect.objectContaining({ type: 'error', code: 'project_not_found', projectId: membership.projectId }),
  ]);
});

/** As after a process that died between the commit and its NOTIFY: no hint says that the right is gone. */
test.each([
  ['member', 'delete from project_agents where agent_id = $1'],
  ['owner', `update agents set access_level = 'member' where id = $1`],
  ['owner', 'update agents set deleted_at = now() where id = $1'],
] as const)('a live %s loses a right without a hint (%s): no frame, no delta', async (access, sql) => {
  const { membership, person, witness, client } = await listeners(access);
  await world.context.database.pool.query('delete from project_agents where agent_id = $1 and $2 = $3', [
    person.id,
    access,
    'owner',
  ]);
  await client.subscribe(membership.projectId);
  client.send({ type: 'subscribe_inbox' });
  await client.heard(({ type }) => type === 'inbox_changed');
  // Before the right is gone: the regular check may say so at once.
  const heardBefore = client.frames.length;
  await world.context.database.pool.query(sql, [person.id]);
  await publishDelta(world.context.database.pool, {
    ...membership,
    messageId: 'msg_1',
    text: 'あい',
    offset: 0,
  });
  await witness.heard(({ type }) => type === 'message_delta');
  const taskId = await createTask(membership.projectId, 'not for him');
  await witness.heard((frame) => JSON.stringify(frame).includes(taskId));
  const isTold = client.heard(isLost(membership.projectId)).then(() => client.settled());
  // Sockets are also checked now and then: that of a person who was deleted is closed.
  const closedWith = await Promise.race([isTold, client.closed]);
  const heard = client.frames.slice(heardBefore).map(({ type }) => type);
  if (closedWith === undefined || !sql.includes('deleted_at')) expect(heard).toEqual(['error', 'pong']);
  else {
    expect(closedWith).toBe(WS_CLOSE.unauthenticated);
    expect([[], ['error']]).toContainEqual(heard);
  }
});

test('whoever is made an owner, or a member again, hears that the projects have changed', async () => {
  const person = await world.person('member', { projects: [] });
  await logIsComplete(world.context.database);
  const client = await open(person);
  client.send({ type: 'subscribe_inbox' });
  await client.heard(({ type }) => type === 'inbox_changed');
  const heard = () => client.frames.filter(({ type }) => type === 'projects_changed').length;
  for (const [at, accessLevel] of (['owner', 'member'] as const).entries()) {
    const { status } = await world.call(owner, 'PATCH', `/api/agents/${person.id}`, { accessLevel });
    expect(status).toBe(200);
    await client.heard(() => heard() === at + 1);
  }
});

test('whoever is added to a project hears at once that the projects have changed, and again when removed or renamed', async () => {
  const membership = await world.project();
  const person = await world.person('member', { projects: [] });
  await logIsComplete(world.context.database);
  const client = await open(person);
  client.send({ type: 'subscribe_inbox' });
  await client.heard(({ type }) => type === 'inbox_changed');
  const heard = () => client.frames.filter(({ type }) => type === 'projects_changed').length;
  const path = `/api/projects/${membership.projectId}`;
  for (const [at, [method, url, body]] of (
    [
      ['PUT', `${path}/agents/${person.id}`, undefined],
      ['PATCH', path, { name: 'Renamed' }],
      ['DELETE', `${path}/agents/${person.id}`, undefined],
    ] as const
  ).entries()) {
    expect((await world.call(owner, method, url, body)).status).toBeLessThan(300);
    await client.heard(() => heard() === at + 1);
  }
});
