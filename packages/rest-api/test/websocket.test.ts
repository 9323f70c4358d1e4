import { publishDelta } from '@aizuchi/shared/platform/change-log/delta';
import { logIsComplete } from '@aizuchi/shared/testing/log-is-complete';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { breakLockedRead } from './break-read.ts';
import { type Caller, RestWorld } from './rest-world.ts';
import { SocketClient } from './socket-client.ts';

const PASSKEY = 'correct horse battery';
let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };
const clients: SocketClient[] = [];

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true, maxUnreadBytes: 256 * 1024 });
  owner = await world.owner();
  membership = await world.project();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.terminate();
});
afterAll(() => world.close());

async function open(caller: { token: string }): Promise<SocketClient> {
  return openWith({ authorization: `Bearer ${caller.token}` });
}

async function openWith(headers: Record<string, string>): Promise<SocketClient> {
  const client = await SocketClient.open(world.port, headers);
  clients.push(client);
  return client;
}

async function cookieOf(person: Caller): Promise<{ cookie: string; csrf: string; token: string }> {
  const headers = { host: `127.0.0.1:${world.port}` };
  const response = await world.call(
    undefined,
    'POST',
    '/api/auth/login',
    { agentId: person.id, passkey: PASSKEY },
    { headers },
  );
  return { ...response.body, cookie: String(response.headers['set-cookie']).split(';', 1)[0] };
}

describe('who may open a socket', () => {
  test('without or with a wrong bearer: 401 at the upgrade', async () => {
    await expect(openWith({})).rejects.toThrow('401');
    await expect(openWith({ authorization: 'Bearer wrong' })).rejects.toThrow('401');
    await expect(openWith({ authorization: 'Bearer wrong', origin: 'http://evil.example' })).rejects.toThrow(
      '401',
    );
  });

  test('a page of another origin or another host: 403 at the upgrade', async () => {
    const authorization = `Bearer ${owner.token}`;
    await expect(openWith({ authorization, origin: 'http://evil.example' })).rejects.toThrow('403');
    await expect(openWith({ authorization, origin: 'null' })).rejects.toThrow('403');
    await expect(openWith({ authorization, host: 'evil.example' })).rejects.toThrow('403');
    const client = await openWith({ authorization, origin: world.url });
    await client.settled();
  });

  test('a cookie and the first frame', async () => {
    const person = await world.person('member', { projects: [membership.projectId], passkey: PASSKEY });
    const { cookie, csrf } = await cookieOf(person);
    const client = await openWith({ cookie, origin: world.url });
    client.send({ type: 'auth', csrf });
    expect(await client.subscribe(membership.projectId)).toMatchObject({ reset: false });
  });

  test('a cookie with a missing or wrong first frame: 4401', async () => {
    const person = await world.person('member', { projects: [membership.projectId], passkey: PASSKEY });
    const { cookie } = await cookieOf(person);
    const wrong = await openWith({ cookie });
    wrong.send({ type: 'auth', csrf: 'wrong' });
    expect(await wrong.closed).toBe(4401);
    const hasty = await openWith({ cookie });
    hasty.send({ type: 'subscribe', projectId: membership.projectId });
    expect(await hasty.closed).toBe(4401);
    expect(hasty.frames).toEqual([]);
  });

  test('a sign-in that cannot be read: an error and 1013, for it may be valid', async () => {
    const person = await world.person('member', { projects: [membership.projectId], passkey: PASSKEY });
    const { cookie, csrf } = await cookieOf(person);
    const client = await openWith({ cookie });
    const holder = new pg.Client({ connectionString: world.context.database.url });
    await holder.connect();
    await holder.query('begin; lock table access_tokens in access exclusive mode');
    client.send({ type: 'auth', csrf });
    client.send({ type: 'ping' });
    await breakLockedRead(world.context.database.pool, 'inner join "agents"');
    await holder.query('rollback');
    await holder.end();
    expect(await client.closed).toBe(1013);
    expect(client.frames).toEqual([expect.objectContaining({ type: 'error', code: 'unavailable' })]);
  });

  test('a cookie with a late first frame: 4401', async () => {
    const person = await world.person('member', { projects: [membership.projectId], passkey: PASSKEY });
    const hurried = await world.second({ authTimeoutMs: 300 });
    try {
      // Named for the port of its server.
      const cookie = (await cookieOf(person)).cookie.replace(`_${world.port}=`, `_${hurried.port}=`);
      const silent = await SocketClient.open(hurried.port, { cookie });
      expect(await silent.closed).toBe(4401);
    } finally {
      await hurried.stop();
    }
  });

  test('a bearer that is revoked: 4401', async () => {
    const person = await world.person('member', { projects: [membership.projectId], passkey: PASSKEY });
    const { token } = await cookieOf(person);
    const client = await open({ token });
    await client.subscribe(membership.projectId);
    await world.call({ token }, 'POST', '/api/auth/logout');
    expect(await client.closed).toBe(4401);
  });
});

describe('frames of a client', () => {
  test.each([
    ['a text that is not JSON', 'hello'],
    ['an unknown frame', '{"type":"shout"}'],
    ['an unknown key', '{"type":"ping","loud":true}'],
    ['a second auth', '{"type":"auth","csrf":"x"}'],
    ['a wrong viewer', '{"type":"subscribe","projectId":"prj_a","viewerId":"a b"}'],
  ])('%s gets an error frame, and the socket stays open', async (_what, text) => {
    const client = await open(owner);
    client.send(text);
    expect(await client.heard(({ type }) => type === 'error')).toMatchObject({ code: 'invalid_input' });
    await client.settled();
  });

  test('a project that the person may not see does not exist', async () => {
    const stranger = await world.person('member');
    const client = await open(stranger);
    client.send({ type: 'subscribe', projectId: membership.projectId });
    expect(await client.heard(({ type }) => type === 'error')).toMatchObject({ code: 'project_not_found' });
    await createTask('not for strangers');
    await client.settled();
    expect(client.frames.filter(({ type }) => type === 'task_changed')).toEqual([]);
  });

  test.each(['a\u0000b', 'a\ud800b'])('a text that cannot be stored is refused: %j', async (text) => {
    const client = await open(owner);
    client.send({ type: 'subscribe', projectId: membership.projectId, viewerId: 'viewer', cursor: text });
    expect(await client.heard(({ type }) => type === 'error')).toMatchObject({
      code: 'invalid_input',
      projectId: membership.projectId,
    });
    client.send({ type: 'question_answer', tool_use_id: 'toolu_1', answers: { 0: { other: [text] } } });
    expect(await client.heard(({ tool_use_id: id }) => id === 'toolu_1')).toMatchObject({
      code: 'invalid_input',
    });
    expect(client.frames.some(({ type }) => type === 'subscribed')).toBe(false);
  });

  test('a frame above the size limit ends the socket', async () => {
    const client = await open(owner);
    client.send(JSON.stringify({ type: 'ping', x: 'x'.repeat(100_000) }));
    expect(await client.closed).toBe(1009);
  });
});

describe('what a subscriber gets', () => {
  test('tasks and messages, each with the project and a rising cursor', async () => {
    const client = await open(owner);
    const subscribed = await client.subscribe(membership.projectId);
    const task = await createTask('heard');
    await client.heard((frame) => isTask(frame, task.id));
    const posted = await world.call(owner, 'POST', `${chat()}/messages`, { content: 'こんにちは' });
    expect(posted.status).toBe(201);
    const frame = await client.heard(({ type }) => type === 'message');
    expect(frame).toMatchObject({ ...membership, message: posted.body });
    const cursors = [
      subscribed.cursor,
      ...client.frames.filter(({ type }) => type !== 'subscribed').map(({ cursor }) => cursor),
    ];
    expect(cursors).toEqual(cursors.toSorted());
    expect(new Set(cursors).size).toBe(cursors.length);
  });

  test('the state of an agent when it changes', async () => {
    const own = await world.project();
    const client = await open(owner);
    await client.subscribe(own.projectId);
    await world.call(owner, 'POST', `/api/projects/${own.projectId}/agents/${own.agentId}/chat/start`);
    expect(await client.heard(({ type }) => type === 'session_changed')).toMatchObject({
      agentId: own.agentId,
      chatStatus: expect.stringMatching(/^(queued|starting|failed)$/),
      chat: 0,
      since: expect.any(String),
    });
  });

  test('an answer while it grows', async () => {
    const client = await open(owner);
    await client.subscribe(membership.projectId);
    const delta = { ...membership, messageId: 'msg_growing', text: 'あいづち', offset: 3 };
    await publishDelta(world.context.database.pool, delta);
    const { cursor, ...frame } = await client.heard(({ type }) => type === 'message_delta');
    expect(frame).toEqual({ type: 'message_delta', ...delta });
    expect(cursor).toBeUndefined();
  });

  test('that a partial answer is discarded when its agent stops writing', async () => {
    const own = await world.project();
    const client = await open(owner);
    await client.subscribe(own.projectId);
    await publishDelta(world.context.database.pool, {
      ...own,
      messageId: 'msg_over',
      text: 'あい',
      offset: 0,
    });
    await client.heard(({ type }) => type === 'message_delta');
    await world.call(owner, 'POST', `/api/projects/${own.projectId}/agents/${own.agentId}/chat/start`);
    expect(await client.heard(({ type }) => type === 'message_discarded')).toEqual({
      type: 'message_discarded',
      ...own,
      messageId: 'msg_over',
    });
  });

  test('not that a partial answer is discarded which became a message while nobody followed its project', async () => {
    const own = await world.project();
    const path = `/api/projects/${own.projectId}/agents/${own.agentId}/chat/messages`;
    const { id: messageId } = (await world.call(owner, 'POST', path, { content: 'stored' })).body;
    await logIsComplete(world.context.database);
    const client = await open(owner);
    await client.subscribe(own.projectId);
    for (const piece of [messageId, 'msg_next', 'msg_last']) {
      const delta = { ...own, messageId: piece, text: 'あい', offset: 0 };
      await publishDelta(world.context.database.pool, delta);
      await client.heard((frame) => frame.type === 'message_delta' && frame.messageId === piece);
    }
    const discarded = client.frames.filter(({ type }) => type === 'message_discarded');
    expect(discarded.map((frame) => frame.messageId)).toEqual(['msg_next']);
  });

  test('a deleted task as deleted', async () => {
    const task = await createTask('to delete');
    const client = await open(owner);
    await client.subscribe(membership.projectId);
    await world.call(owner, 'DELETE', `/api/tasks/${task.id}`);
    expect(
      await client.heard((frame) => frame.type === 'task_changed' && frame.deleted === true),
    ).toMatchObject({
      taskId: task.id,
      deleted: true,
    });
  });

  test('the read mark of a person, sent to that person only', async () => {
    const other = await world.person('member', { projects: [membership.projectId] });
    const [mine, theirs] = [await open(owner), await open(other)];
    await mine.subscribe(membership.projectId);
    await theirs.subscribe(membership.projectId);
    const posted = await world.call(owner, 'POST', `${chat()}/messages`, { content: 'read me' });
    await world.call(other, 'POST', `${chat()}/mark-read`, { upToMessageId: posted.body.id });
    const task = await createTask('after reading');
    for (const client of [mine, theirs]) await client.heard((frame) => isTask(frame, task.id));
    expect(theirs.frames.map(({ type }) => type)).toContain('unread_changed');
    expect(mine.frames.map(({ type }) => type)).not.toContain('unread_changed');
  });

  test('nothing more after unsubscribe, or when the membership is removed', async () => {
    const leaver = await world.person('member', { projects: [membership.projectId] });
    const expelled = await world.person('member', { projects: [membership.projectId] });
    const [left, out] = [await open(leaver), await open(expelled)];
    await left.subscribe(membership.projectId);
    await out.subscribe(membership.projectId);
    left.send({ type: 'unsubscribe', projectId: membership.projectId });
    await left.settled();
    await world.call(owner, 'DELETE', `/api/projects/${membership.projectId}/agents/${expelled.id}`);
    expect(await out.heard(({ type }) => type === 'error')).toMatchObject({
      code: 'project_not_found',
      projectId: membership.projectId,
    });
    const witness = await open(owner);
    await witness.subscribe(membership.projectId);
    const task = await createTask('not for them');
    await witness.heard((frame) => isTask(frame, task.id));
    for (const client of [left, out]) {
      await client.settled();
      expect(client.frames.some((frame) => isTask(frame, task.id))).toBe(false);
    }
  });
});

describe('regular checks', () => {
  test('an open socket keeps its viewer’s lease', async () => {
    const own = await world.project();
    await world.call(owner, 'POST', `/api/projects/${own.projectId}/agents/${own.agentId}/chat/start`, {
      viewerId: 'tab-1',
    });
    const lease = async () => {
      const { db } = world.context.database;
      const row = await db
        .selectFrom('sessionViewers')
        .select('leaseUntil')
        .where('projectId', '=', own.projectId)
        .executeTakeFirst();
      return row?.leaseUntil.getTime() ?? 0;
    };
    const first = await lease();
    world.clock.advance(30_000);
    const client = await open(owner);
    await client.subscribe(own.projectId, { viewerId: 'tab-1' });
    expect(await lease()).toBeGreaterThanOrEqual(first + 29_000);
  });

  test('a socket whose client does not read is closed, and others are not affected', async () => {
    const own = await world.project();
    const [slow, quick] = [await open(owner), await open(owner)];
    await slow.subscribe(own.projectId);
    await quick.subscribe(own.projectId);
    slow.socket.pause();
    const description = 'あ'.repeat(50_000);
    for (let count = 0; count < 60; count += 1) {
      await world.context.tasks.create(owner, own.projectId, { title: `big ${count}`, description });
    }
    const last = await world.context.tasks.create(owner, own.projectId, { title: 'last' });
    await quick.heard((frame) => isTask(frame, last.id));
    slow.socket.resume();
    expect([1006, 4408]).toContain(await slow.closed);
    const metrics = await world.call(owner, 'GET', '/metrics');
    expect(metrics.text).toMatch(/aizuchi_websocket_slow_total [1-9]/);
    await quick.settled();
  });
});

describe('the stop', () => {
  test('a stop closes every socket with 4410', async () => {
    const stopping = await RestWorld.create({ isRunning: true });
    const client = await SocketClient.open(stopping.port, {
      authorization: `Bearer ${(await stopping.owner()).token}`,
    });
    const stopped = stopping.close();
    expect(await client.closed).toBe(4410);
    await stopped;
  });
});

function chat(): string {
  return `/api/projects/${membership.projectId}/agents/${membership.agentId}/chat`;
}

async function createTask(title: string): Promise<{ id: string }> {
  const response = await world.call(owner, 'POST', `/api/projects/${membership.projectId}/tasks`, { title });
  expect(response.status).toBe(201);
  return response.body;
}

function isTask(frame: { type: string; task?: unknown; taskId?: unknown }, id: string): boolean {
  const { task } = frame;
  return (
    frame.type === 'task_changed' &&
    typeof task === 'object' &&
    task !== null &&
    'id' in task &&
    task.id === id
  );
}
