import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RestWorld } from './rest-world.ts';
import { TurnWorld } from './turn-world.ts';
import { type EventReading, imageOf, PNG, VisionClient } from './vision-world.ts';

const MIB = 1024 * 1024;

let world: TurnWorld;
let owner: VisionClient;
const streams: EventReading[] = [];
beforeAll(async () => {
  world = await TurnWorld.create();
  owner = new VisionClient(world);
});
afterAll(() => world.close());
beforeEach(() => {
  world.script = () => ({ text: ['A login page ', 'with an error.'] });
});
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.leave();
  await world.rest.context.database.db.deleteFrom('visionRequests').execute();
});

async function follow(client = owner, base?: string, more?: { clientId?: string }): Promise<EventReading> {
  const stream = await client.events(base, more);
  streams.push(stream);
  return stream;
}

const details = () =>
  world.rest.context.database.db
    .selectFrom('memoryEvents')
    .selectAll()
    .where('source', '=', 'vision_detail')
    .orderBy('seq')
    .execute();

const expire = (id: string) =>
  world.rest.context.database.db
    .updateTable('visionRequests')
    .set({ expiresAt: new Date(world.rest.clock.now().getTime() - 1) })
    .where('id', '=', id)
    .execute();

test('a request reaches the page, the answer becomes a description in the memory', async () => {
  const stream = await follow();
  const asked = await owner.ask({ source: ' the login page ' });
  expect([asked.status, asked.body]).toEqual([202, { request_id: expect.stringMatching(/^vis_/) }]);
  const id = asked.body.request_id;
  const request = {
    event_id: 0,
    type: 'vision.capture_request',
    data: { request_id: id, source: 'the login page', timeout_ms: 120_000 },
  };
  await expect.poll(() => stream.events).toEqual([request]);
  expect(await owner.answered(id, { images: [imageOf(), imageOf()] })).toBe('204');
  expect(world.model.requests.at(-1)?.images).toHaveLength(2);
  expect((await details()).at(-1)).toMatchObject({
    agentId: world.agentId,
    projectId: world.projectId,
    clientId: 'owner',
    actor: 'Owner',
    caption: 'A login page with an error.',
    userText: null,
    sourceRef: `vision:${id}`,
  });
  const resolved = {
    event_id: 0,
    type: 'vision.capture_resolved',
    data: { request_id: id, status: 'described' },
  };
  await expect.poll(() => stream.events).toEqual([request, resolved]);
});

test('what is open is told first to a page that comes later, and it may decline', async () => {
  const id = await owner.asked();
  const stream = await follow();
  await expect.poll(() => stream.events.map(({ type }) => type)).toEqual(['vision.capture_request']);
  const before = [world.model.requests.length, (await details()).length];
  expect(await owner.answered(id, { images: [], error: 'no screen here' })).toBe('204');
  await expect.poll(() => stream.events.at(-1)?.data).toEqual({ request_id: id, status: 'declined' });
  expect([world.model.requests.length, (await details()).length]).toEqual(before);
});

test('any process serves the stream, the request and the answer', async () => {
  const other = await world.second();
  const stream = await follow(owner, `http://127.0.0.1:${other.port}`);
  const id = await owner.asked();
  await expect.poll(() => stream.events).toMatchObject([{ data: { request_id: id } }]);
  expect(await owner.answered(id)).toBe('204');
  await expect.poll(() => stream.events.at(-1)?.type).toBe('vision.capture_resolved');
  stream.leave();
  await other.stop();
});

describe('an answer', () => {
  test('is taken once', async () => {
    const id = await owner.asked();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.script = () => ({ text: ['a', 'b'], until: promise });
    const before = world.model.requests.length;
    const first = owner.answered(id);
    await expect.poll(() => world.model.requests.length).toBe(before + 1);
    expect(await owner.answered(id)).toBe('404 capture_request_not_found');
    expect(await owner.answered(id, { images: [], error: 'no' })).toBe('404 capture_request_not_found');
    resolve();
    expect(await first).toBe('204');
    const late = await owner.answer(id);
    expect(late.body.error).toMatchObject({
      code: 'capture_request_not_found',
      details: { status: 'described' },
    });
  });

  test('that comes too late is refused, and the page hears of the end', async () => {
    const stream = await follow();
    const id = await owner.asked();
    await expect.poll(() => stream.events.length).toBe(1);
    await expire(id);
    const late = await owner.answer(id);
    expect([late.status, late.body.error.details]).toEqual([404, { status: 'timeout' }]);
    await owner.asked({ source: 'another' });
    await expect
      .poll(() => stream.events.map(({ data }) => data))
      .toContainEqual({ request_id: id, status: 'timeout' });
  });

  test.each([
    ['refuses', { status: 400, message: 'this model cannot see' }],
    ['breaks off', { text: ['A lo'], ending: 'cut' }],
    ['says nothing', { text: '' }],
  ] as const)('whose model %s stores nothing, and may be given again', async (_what, reply) => {
    const id = await owner.asked();
    const before = (await details()).length;
    world.script = () => reply;
    expect(await owner.answered(id)).toBe('503 llm_unavailable');
    expect((await details()).length).toBe(before);
    world.script = () => ({ text: 'A cat.' });
    expect(await owner.answered(id)).toBe('204');
  });

  test('whose process died is open again after its lease', async () => {
    const id = await owner.asked();
    const claimedUntil = new Date(world.rest.clock.now().getTime() + 60_000);
    const set = (at: Date) =>
      world.rest.context.database.db
        .updateTable('visionRequests')
        .set({ state: 'describing', claimId: 'dead', claimedUntil: at })
        .where('id', '=', id)
        .execute();
    await set(claimedUntil);
    expect(await owner.answered(id)).toBe('404 capture_request_not_found');
    await set(new Date(world.rest.clock.now().getTime() - 1));
    expect(await owner.answered(id)).toBe('204');
  });

  test('whose process is stopped meanwhile is open again', async () => {
    const id = await owner.asked();
    const { promise, resolve } = Promise.withResolvers<void>();
    world.script = () => ({ text: ['a', 'b'], until: promise });
    const before = world.model.requests.length;
    const answered = owner.answered(id);
    await expect.poll(() => world.model.requests.length).toBe(before + 1);
    await world.rest.context.vision.close();
    expect(await answered).toBe('503 unavailable');
    resolve();
    world.script = () => ({ text: 'A cat.' });
    expect(await owner.answered(id)).toBe('204');
  });

  test.each([
    ['no image', { images: [] }, '400 invalid_input'],
    ['an image and an error', { error: 'x' }, '400 invalid_input'],
    ['six images', { images: Array.from({ length: 6 }, () => imageOf()) }, '400 invalid_input'],
    ['bytes that are no image', { images: [imageOf([1, 2, 3])] }, '400 invalid_input'],
    ['another type', { images: [imageOf().replace('png', 'gif')] }, '400 invalid_input'],
    ['too large an image', { images: [imageOf(PNG, 5 * MIB + 1)] }, '413 image_too_large'],
    ['an unknown key', { more: 1 }, '400 invalid_input'],
    ['another client', { client_id: 'somebody' }, '404 capture_request_not_found'],
    ['no such request', { request_id: 'vis_nothing' }, '404 capture_request_not_found'],
  ])('with %s is refused, and the request stays open', async (_what, more, expected) => {
    const id = await owner.asked();
    expect(await owner.answered(id, more)).toBe(expected);
    expect(await owner.answered(id)).toBe('204');
  });
});

describe('who', () => {
  test('only the person who is asked hears of it and answers', async () => {
    const { rest, projectId } = world;
    const member = new VisionClient(world, await rest.person('member', { projects: [projectId] }));
    const other = new VisionClient(world, await rest.person('member', { projects: [projectId] }));
    const [its, others, owners] = await Promise.all([follow(member), follow(other), follow()]);
    const id = await member.asked();
    await expect.poll(() => its.events).toMatchObject([{ data: { request_id: id } }]);
    const own = await other.asked();
    await expect.poll(() => others.events).toMatchObject([{ data: { request_id: own } }]);
    expect(owners.events).toEqual([]);
    for (const stranger of [other, owner])
      expect(await stranger.answered(id, { client_id: member.clientId })).toBe(
        '404 capture_request_not_found',
      );
    expect((await other.ask({ clientId: member.clientId })).body.error.code).toBe('forbidden');
    expect(await member.answered(id)).toBe('204');
  });

  test('a client of one’s own is asked and answers by its name', async () => {
    const id = await owner.asked({ clientId: 'my-tablet' });
    const [all, page] = [await follow(), await follow(owner, undefined, { clientId: 'owner' })];
    await expect.poll(() => all.events).toMatchObject([{ data: { request_id: id } }]);
    const own = await owner.asked();
    await expect.poll(() => page.events).toMatchObject([{ data: { request_id: own } }]);
    expect(await owner.answered(id, { client_id: 'my-tablet' })).toBe('204');
  });

  test('a viewer may neither ask nor answer, and who loses the project neither hears nor answers', async () => {
    const { rest, projectId } = world;
    const { agents, projects } = rest.context;
    const person = await rest.person('member', { projects: [projectId] });
    const client = new VisionClient(world, person);
    const id = await client.asked();
    await agents.update(await rest.owner(), person.id, { accessLevel: 'viewer' });
    expect(await client.answered(id)).toBe('403 forbidden');
    expect((await client.ask()).body.error.code).toBe('forbidden');
    const stream = await follow(client);
    await expect.poll(() => stream.events.length).toBe(1);
    await projects.removeAgent(await rest.owner(), { projectId, agentId: person.id });
    await owner.asked();
    expect(await stream.ended).toBe(true);
    expect(await client.answered(id)).toBe('404 capture_request_not_found');
    expect((await client.events()).status).toBe(404);
  });

  test('without a project only owners ask', async () => {
    const { rest, projectId } = world;
    const member = new VisionClient(world, await rest.person('member', { projects: [projectId] }));
    expect((await member.ask({ projectId: undefined })).body.error.code).toBe('invalid_input');
    expect(await owner.answered(await owner.asked({ projectId: undefined }))).toBe('204');
    expect((await details()).at(-1)).toMatchObject({ projectId: null });
  });
});

test('an agent that goes takes its requests along', async () => {
  const { rest, projectId } = world;
  const { agents, projects } = rest.context;
  const by = await rest.owner();
  const { id: agentId } = await agents.create(by, { name: 'Going', type: 'ai' });
  await projects.putAgent(by, { projectId, agentId });
  const id = await owner.asked({ agentId });
  await projects.removeAgent(by, { projectId, agentId });
  expect(await owner.answered(id)).toBe('404 capture_request_not_found');
});

test('erasing a memory erases what it was asked to see', async () => {
  const { rest, agentId, projectId, token } = world;
  const id = await owner.asked();
  const erased = await rest.call({ token }, 'DELETE', `/api/memory/${agentId}?projectId=${projectId}`);
  expect(erased.status).toBe(204);
  expect(await owner.answered(id)).toBe('404 capture_request_not_found');
});

test('twenty requests of an agent may be open', async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 21; index += 1) statuses.push((await owner.ask()).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 202), 429]);
});

test('also when they are asked for at once', async () => {
  const asked = await Promise.all(Array.from({ length: 40 }, () => owner.ask()));
  expect(asked.filter(({ status }) => status === 202)).toHaveLength(20);
});

test('a client whose name cannot be stored is a mistake of the caller', async () => {
  expect((await owner.ask({ clientId: 'a\u0000' })).status).toBe(400);
  expect((await follow(owner, undefined, { clientId: 'a\u0000' })).status).toBe(400);
});

test('a stream ends with the sign-in by which it was opened', async () => {
  const { rest, projectId } = world;
  const person = await rest.person('member', { projects: [projectId] });
  const client = new VisionClient(world, person);
  const stream = await follow(client);
  expect((await rest.call({ token: person.token }, 'POST', '/api/auth/logout')).status).toBe(204);
  expect(await stream.ended).toBe(true);
});

test('without a model a request is refused at once, and nothing is stored', async () => {
  const blind = await RestWorld.create();
  try {
    const { token } = await blind.owner();
    const named = await blind.project();
    const body = { ...named, clientId: 'owner', source: 'screenshot' };
    const refused = await blind.call({ token }, 'POST', '/api/vision/capture-request', body);
    expect([refused.status, refused.body]).toMatchObject([503, { error: { code: 'llm_unavailable' } }]);
    expect(refused.body.error.message).toContain('LLM_MODEL');
    const { db } = blind.context.database;
    expect(await db.selectFrom('visionRequests').select('id').execute()).toEqual([]);
  } finally {
    await blind.close();
  }
});
