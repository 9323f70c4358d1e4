import { afterAll, beforeAll, expect, test } from 'vitest';
import { saidIn } from './turn-client.ts';
import { TurnWorld } from './turn-world.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await TurnWorld.create();
});
afterAll(() => world.close());

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff, 0xe0];
const WEBP = [...Buffer.from('RIFF\0\0\0\0WEBPVP8 ')];
const MIB = 1024 * 1024;

function image(type: string, begin: readonly number[], length = 64): string {
  const bytes = Buffer.alloc(length, 7);
  bytes.set(begin);
  return `data:image/${type};base64,${bytes.toString('base64')}`;
}

async function post(body: object, token = world.token) {
  const named = { agentId: world.agentId, projectId: world.projectId, text: 'Hi' };
  return world.rest.call({ token }, 'POST', '/api/chat', { ...named, ...body });
}

const eventCount = async () =>
  (await world.rest.context.database.db.selectFrom('memoryEvents').select('id').execute()).length;

test('images are given to the model by what their bytes are, and are stored nowhere', async () => {
  const images = [image('png', PNG), image('png', JPEG), image('webp', WEBP)];
  const turn = await world.say('What is this?', { images });
  await turn.ended;
  expect(turn.frames.at(-1)?.event).toBe('done');
  const types = world.model.requests.at(-1)?.images.map((uri) => uri.slice(0, uri.indexOf(';')));
  expect(types).toEqual(['data:image/png', 'data:image/jpeg', 'data:image/webp']);
  const stored = JSON.stringify(await world.event(turn.eventId));
  for (const uri of images) expect(stored).not.toContain(uri.slice(-20));
});

test('five images of 5 MiB are taken', async () => {
  const turn = await world.say('Look', {
    images: Array.from({ length: 5 }, () => image('png', PNG, 5 * MIB)),
  });
  await turn.ended;
  expect(saidIn(turn.frames)).toBe('Hello you.');
});

test('an image above 5 MiB is refused in the stream, and nothing is stored', async () => {
  const before = await eventCount();
  const turn = await world.say('Look', { images: [image('png', PNG), image('png', PNG, 5 * MIB + 1)] });
  await turn.ended;
  expect(turn.status).toBe(200);
  expect(turn.frames).toEqual([
    { id: 1, event: 'error', data: { code: 'image_too_large', message: expect.stringContaining('5 MB') } },
  ]);
  expect(await eventCount()).toBe(before);
});

test.each([
  ['six of them', Array.from({ length: 6 }, () => image('png', PNG))],
  ['another type', [image('gif', PNG)]],
  ['bytes that are no image', [image('png', [1, 2, 3, 4])]],
  ['an address', ['https://example.test/a.png']],
  ['no base64', ['data:image/png;base64,iVBORw0KGgo!!!!']],
  ['nothing', ['data:image/png;base64,']],
])('images are refused with 400: %s', async (_what, images) => {
  const refused = await post({ images });
  expect([refused.status, refused.body]).toMatchObject([400, { error: { code: 'invalid_input' } }]);
});

test('the body may have 36 MiB here, and 1 MiB elsewhere', async () => {
  const tooLarge = await post({ text: 'x'.repeat(36 * MIB) });
  expect(tooLarge.body).toMatchObject({
    error: { code: 'payload_too_large', message: expect.stringContaining('36 MiB') },
  });
  const other = await world.rest.call({ token: world.token }, 'POST', '/api/projects', {
    name: 'x'.repeat(MIB),
  });
  expect(other.body).toMatchObject({
    error: { code: 'payload_too_large', message: expect.stringContaining(' 1 MiB') },
  });
});

test('who may talk with an agent here', async () => {
  const { rest, projectId } = world;
  const member = await rest.person('member', { projects: [projectId] });
  const viewer = await rest.person('viewer', { projects: [projectId] });
  const stranger = await rest.person('member');
  const other = await rest.project();
  const codeOf = async (body: object, token?: string) => {
    const { status, body: answer, text } = await post(body, token);
    return status === 200 ? text.match(/event: (?:done|error)/)?.[0] : `${status} ${answer.error.code}`;
  };
  expect(await codeOf({ clientId: 'who' }, member.token)).toBe('event: done');
  expect(await codeOf({}, viewer.token)).toBe('403 forbidden');
  expect(await codeOf({}, stranger.token)).toBe('404 project_not_found');
  expect(await codeOf({ projectId: undefined }, member.token)).toBe('400 invalid_input');
  expect(await codeOf({ projectId: 'prj_nothing' })).toBe('404 project_not_found');
  expect(await codeOf({ agentId: 'agt_nothing' })).toBe('404 agent_not_found');
  expect(await codeOf({ agentId: 'agt_nothing', projectId: undefined })).toBe('404 agent_not_found');
  expect(await codeOf({ agentId: 'owner' })).toBe('422 agent_is_human');
  expect(await codeOf({ agentId: 'owner', projectId: undefined })).toBe('422 agent_is_human');
  expect(await codeOf({ agentId: other.agentId })).toBe('422 agent_not_in_project');
  expect(await codeOf({ text: ' ' })).toBe('400 invalid_input');
  expect(await codeOf({ text: 'x'.repeat(4_001) })).toBe('400 invalid_input');
  expect(await codeOf({ unknown: 1 })).toBe('400 invalid_input');
  const missing = await post({ projectId: undefined }, member.token);
  expect(missing.body.error.message).toContain('projectId');
  await rest.context.projects.update(await rest.owner(), other.projectId, { status: 'archived' });
  expect(await codeOf({ projectId: other.projectId, agentId: other.agentId })).toBe('409 project_archived');
});

test.each([
  ['four turns', 4, []],
  ['two turns with images', 2, [image('png', PNG)]],
])('a person has %s at once, whatever clients it names', async (_what, most, images) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.script = () => ({ text: ['a', 'b'], until: promise });
  const say = (index: number) => world.say('Hi', { clientId: `many-${most}-${index}`, images });
  const running = await Promise.all(Array.from({ length: most }, (_, index) => say(index)));
  expect(running.map(({ status }) => status)).toEqual(running.map(() => 200));
  const refused = await post({ clientId: `many-${most}-more`, images });
  expect([refused.status, refused.body]).toMatchObject([429, { error: { code: 'rate_limited' } }]);
  expect(refused.headers).toMatchObject({ 'retry-after': '1' });
  resolve();
  await Promise.all(running.map(({ ended }) => ended));
  await expect.poll(async () => (await say(most)).status).toBe(200);
});

test('nobody speaks as the client of another person', async () => {
  const member = await world.rest.person('member', { projects: [world.projectId] });
  const refused = await post({ clientId: member.id });
  expect([refused.status, refused.body]).toMatchObject([403, { error: { code: 'forbidden' } }]);
  expect((await post({ clientId: member.id }, member.token)).status).toBe(200);
});

test('who may read and stop a turn', async () => {
  const { rest, projectId } = world;
  const viewer = await rest.person('viewer', { projects: [projectId] });
  const stranger = await rest.person('member');
  const inProject = await world.say('Hi', { clientId: 'reading' });
  const general = await world.say('Hi', { clientId: 'reading-2', projectId: undefined });
  await Promise.all([inProject.ended, general.ended]);
  const statusOf = async (token: string, method: 'GET' | 'DELETE', eventId: string) => {
    const path = method === 'GET' ? `/api/chat/${eventId}/stream` : `/api/chat/${eventId}`;
    return (await rest.call({ token }, method, path)).status;
  };
  expect(await statusOf(viewer.token, 'GET', inProject.eventId)).toBe(200);
  expect(await statusOf(viewer.token, 'DELETE', inProject.eventId)).toBe(403);
  expect(await statusOf(stranger.token, 'GET', inProject.eventId)).toBe(404);
  expect(await statusOf(viewer.token, 'GET', general.eventId)).toBe(404);
  expect(await statusOf(viewer.token, 'DELETE', general.eventId)).toBe(404);
  expect(await statusOf(world.token, 'GET', 'evt_nothing')).toBe(404);
});
