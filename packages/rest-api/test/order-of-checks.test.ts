import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
let viewer: Caller;
let tasks: string;

beforeAll(async () => {
  world = await RestWorld.create({ config: { rateLimitPerMinute: 40 } });
  owner = await world.owner();
  const { projectId } = await world.project();
  viewer = await world.person('viewer', { projects: [projectId] });
  tasks = `/api/projects/${projectId}/tasks`;
});
afterAll(() => world.close());

const FOREIGN = { headers: { host: 'evil.example', origin: 'http://evil.example' } };
const HUGE = JSON.stringify({ title: 'x'.repeat(2 * 1024 * 1024) });

/** Each call has every fault from its place in the order of checks on; the answer names the first one. */
test('of several faults the first one in the order of the contract is reported', async () => {
  const limited = await exhausted();
  expect(await codeOf(world.call(undefined, 'POST', '/api/projects/prj_none/tasks', HUGE, FOREIGN))).toBe(
    '401 unauthenticated',
  );
  expect(await codeOf(world.call(limited, 'POST', '/api/projects/prj_none/tasks', HUGE, FOREIGN))).toBe(
    '403 host_not_allowed',
  );
  expect(
    await codeOf(
      world.call(limited, 'POST', '/api/projects/prj_none/tasks', HUGE, {
        headers: { origin: 'http://evil.example' },
      }),
    ),
  ).toBe('403 origin_not_allowed');
  expect(await codeOf(world.call(limited, 'POST', '/api/projects/prj_none/tasks', HUGE))).toBe(
    '429 rate_limited',
  );
  expect(await codeOf(world.call(viewer, 'POST', '/api/projects/prj_none/tasks', HUGE))).toBe(
    '413 payload_too_large',
  );
  expect(await codeOf(world.call(viewer, 'POST', '/api/projects/prj_none/tasks', '{"title":'))).toBe(
    '400 invalid_input',
  );
  expect(await codeOf(world.call(viewer, 'POST', '/api/projects/prj_none/tasks', { titel: 'x' }))).toBe(
    '400 invalid_input',
  );
  expect(await codeOf(world.call(viewer, 'POST', '/api/projects/prj_none/tasks', { title: 'x' }))).toBe(
    '404 project_not_found',
  );
  expect(await codeOf(world.call(viewer, 'POST', tasks, { title: 'x', parentId: 'tsk_none' }))).toBe(
    '403 forbidden',
  );
});

test('the state is checked last', async () => {
  const created = await world.call(owner, 'POST', tasks, { title: 'x', status: 'todo' });
  const change = { version: created.body.version, status: 'done' };
  expect(await codeOf(world.call(viewer, 'PATCH', `/api/tasks/${created.body.id}`, change))).toBe(
    '403 forbidden',
  );
  expect(await codeOf(world.call(owner, 'PATCH', `/api/tasks/${created.body.id}`, change))).toBe(
    '422 invalid_status_transition',
  );
});

test('who may not change members and invitations hears first that there is no such agent', async () => {
  const { projectId, agentId } = await world.project();
  const member = await world.person('member', { projects: [projectId] });
  const calls = (aid: string) =>
    [
      ['PUT', `/api/projects/${projectId}/agents/${aid}`],
      ['DELETE', `/api/projects/${projectId}/agents/${aid}`],
      ['POST', `/api/agents/${aid}/invite`],
    ] as const;
  for (const [method, path] of calls('agt_none'))
    expect(await codeOf(world.call(member, method, path)), path).toBe('404 agent_not_found');
  for (const [method, path] of calls(agentId))
    expect(await codeOf(world.call(member, method, path)), path).toBe('403 forbidden');
});

test('a viewer hears that of a chat, too: before what kind of agent it is, and whether its project is archived', async () => {
  const { projectId, agentId } = await world.project();
  const reader = await world.person('viewer', { projects: [projectId] });
  const post = (aid: string) =>
    codeOf(
      world.call(reader, 'POST', `/api/projects/${projectId}/agents/${aid}/chat/messages`, { content: 'x' }),
    );
  expect(await post('agt_none')).toBe('404 agent_not_found');
  expect(await post(reader.id)).toBe('403 forbidden');
  await world.context.projects.update(owner, projectId, { status: 'archived' });
  expect(await post(agentId)).toBe('403 forbidden');
  const start = `/api/projects/${projectId}/agents/${agentId}/chat/start`;
  expect(await codeOf(world.call(reader, 'POST', start, {}))).toBe('403 forbidden');
  const empty = await world.context.projects.create(owner, { name: 'No agents' });
  await world.context.projects.putAgent(owner, { projectId: empty.id, agentId: reader.id });
  const startAny = `/api/projects/${empty.id}/chat/start`;
  expect(await codeOf(world.call(reader, 'POST', startAny, {}))).toBe('403 forbidden');
});

test('429 carries Retry-After, and counts each caller separately', async () => {
  const limited = await exhausted();
  const refused = await world.call(limited, 'GET', '/api/auth/me');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await world.call(viewer, 'GET', '/api/auth/me')).status).toBe(200);
  expect((await world.call(undefined, 'GET', '/healthz')).status).toBe(200);
});

async function exhausted(): Promise<Caller> {
  const caller = await world.person('member');
  for (let count = 0; count < 40; count += 1) await world.call(caller, 'GET', '/api/auth/me');
  return caller;
}

async function codeOf(call: ReturnType<RestWorld['call']>): Promise<string> {
  const { status, body } = await call;
  return `${status} ${body.error.code}`;
}
