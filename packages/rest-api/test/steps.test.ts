import { STEP_LIMITS, type Step } from '@aizuchi/shared/contract/step';
import type { Core } from '@aizuchi/shared/core/core';
import type { MembershipKey } from '@aizuchi/shared/core/rules/work-key';
import { publishDelta } from '@aizuchi/shared/platform/change-log/delta';
import { logIsComplete } from '@aizuchi/shared/testing/log-is-complete';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { renderPages } from '../src/streams/project-frames.ts';
import { agentSide, atWork } from './agent-side.ts';
import { type Caller, RestWorld } from './rest-world.ts';
import { type Frame, SocketClient } from './socket-client.ts';

let world: RestWorld;
let agents: Core;
let owner: Caller;
let membership: MembershipKey;

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  agents = agentSide(world);
  owner = await world.owner();
});
beforeEach(async () => {
  membership = await world.project();
});
afterAll(async () => {
  await agents.close();
  await world.close();
});

const STEP: Step = {
  id: 's1',
  kind: 'edit',
  title: 'Edit parse.ts',
  status: 'running',
  detail: '+1 −1',
  diff: { path: 'parse.ts', before: 'a\n', after: 'b\n' },
};

async function open(cursor?: string): Promise<SocketClient> {
  const client = await SocketClient.open(world.port, { authorization: `Bearer ${owner.token}` });
  await client.subscribe(membership.projectId, { cursor });
  return client;
}

const chat = () => `/api/projects/${membership.projectId}/agents/${membership.agentId}/chat`;
const stepsOf = (id: string) => world.call(owner, 'GET', `${chat()}/messages/${id}/steps`);
const stepFrames = ({ frames }: SocketClient) => frames.filter(({ type }) => type === 'message_step');
const isMessage = (id: string) => (frame: Frame) => isAbout(frame, id) && frame.type === 'message';

function isAbout({ message }: Frame, id: string): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && message.id === id;
}

test('readers get each step with a cursor, and who loads the page finds what grows', async () => {
  const client = await open();
  const { caller, messageId } = await atWork(world, agents, membership);
  await agents.steps.report(caller, { messageId, step: STEP });
  const { cursor, ...frame } = await client.heard(({ type }) => type === 'message_step');
  expect(frame).toEqual({ type: 'message_step', ...membership, messageId, step: STEP });
  expect(cursor).toEqual(expect.any(String));
  await client.heard(({ growing }) => growing !== undefined);

  const sessions = await world.call(owner, 'GET', `/api/projects/${membership.projectId}/agent-sessions`);
  expect(sessions.body.agentSessions[membership.agentId]).toMatchObject({
    chatStatus: 'busy',
    growing: [{ messageId, steps: 1 }],
  });
  expect((await stepsOf(messageId)).body).toEqual({ steps: [STEP] });

  const done = { ...STEP, status: 'done' as const };
  await agents.steps.report(caller, { messageId, step: done });
  await client.heard(({ step }) => JSON.stringify(step) === JSON.stringify(done));
  await agents.deliveries.respond(caller, { messageId, content: 'It works.' });
  expect(await client.heard(isMessage(messageId))).toMatchObject({ message: { steps: 1 } });
  expect((await stepsOf(messageId)).body).toEqual({ steps: [done] });
  const page = await world.call(owner, 'GET', `${chat()}/messages`);
  expect(page.body.messages.at(-1)).toMatchObject({ id: messageId, steps: 1 });
  // Nothing was discarded, and nothing came twice.
  await client.settled();
  expect(client.frames.map(({ type }) => type)).not.toContain('message_discarded');
  await client.close();
});

test('who comes back gets the steps in their current state, before their message', async () => {
  const first = await open();
  const { cursor } = await first.subscribe(membership.projectId);
  await first.close();
  const { caller, messageId } = await atWork(world, agents, membership);
  for (const status of ['running', 'done'] as const)
    await agents.steps.report(caller, { messageId, step: { ...STEP, status } });
  await agents.steps.report(caller, { messageId, step: { ...STEP, id: 's2' } });
  await agents.deliveries.respond(caller, { messageId, content: 'It works.' });
  await logIsComplete(world.context.database);
  const again = await open(cursor);
  await again.heard(isMessage(messageId));
  expect(stepFrames(again).map(({ step }) => step)).toEqual([
    { ...STEP, status: 'done' },
    // It still ran when the answer was stored.
    { ...STEP, id: 's2', status: 'failed' },
  ]);
  await again.close();
});

test('an answer that waits for a person is not discarded when its agent answers something else', async () => {
  const client = await open();
  const { caller, messageId } = await atWork(world, agents, membership);
  const hearsPiece = async (id: string, text: string) => {
    await publishDelta(world.context.database.pool, { ...membership, messageId: id, text, offset: 0 });
    await client.heard((frame) => frame.messageId === id && frame.text === text);
  };
  await hearsPiece(messageId, 'Let me ask.');
  const { toolUseId } = await agents.approvals.request(caller, {
    tool: 'Bash',
    kind: 'command',
    summary: 'Run ls',
    input: { command: 'ls' },
  });
  await hearsPiece('msg_meanwhile', 'At noon.');
  await world.call(owner, 'POST', `/api/approvals/${toolUseId}`, { decision: 'allow_once' });
  await agents.approvals.acknowledged(caller.sessionId, [toolUseId]);
  // It goes on, and what grew meanwhile became no message.
  await hearsPiece(messageId, 'Let me ask. It works.');
  const discarded = client.frames.filter(({ type }) => type === 'message_discarded');
  expect(discarded.map((frame) => frame.messageId)).toEqual(['msg_meanwhile']);
  await client.close();
});

test('an answer that never comes is discarded for readers, also for those who come back', async () => {
  const client = await open();
  const { caller, messageId } = await atWork(world, agents, membership);
  await agents.steps.report(caller, { messageId, step: STEP });
  const { cursor } = await client.heard(({ type }) => type === 'message_step');
  await agents.sessions.logout(caller);
  const discarded = { type: 'message_discarded', ...membership, messageId, cursor: expect.any(String) };
  expect(await client.heard(({ type }) => type === 'message_discarded')).toEqual(discarded);
  expect((await stepsOf(messageId)).body.error.code).toBe('message_not_found');
  const again = await open(cursor);
  expect(await again.heard(({ type }) => type === 'message_discarded')).toEqual(discarded);
  expect(stepFrames(again)).toEqual([]);
  await Promise.all([client.close(), again.close()]);
});

test('the log names steps, and frames are rendered from 1 MiB of them at a time', async () => {
  const { caller, messageId } = await atWork(world, agents, membership);
  const half = 'x'.repeat(STEP_LIMITS.diffBytes / 2);
  const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
  for (const id of ids)
    await agents.steps.report(caller, {
      messageId,
      step: { ...STEP, id, diff: { path: 'a', before: half, after: half } },
    });
  const { rows } = await world.context.database.pool.query(
    'select count(*)::int as count, max(octet_length(ref::text)) as bytes from change_log where project_id = $1 and kind = $2',
    [membership.projectId, 'step'],
  );
  expect(rows).toEqual([{ count: ids.length, bytes: expect.any(Number) }]);
  expect(rows[0].bytes).toBeLessThan(100);

  const { steps, history, tasks, conversations, questions, approvals, presence } = world.context;
  const loaded: number[] = [];
  const entries = ids.map((stepId, id) => ({
    id,
    projectId: membership.projectId,
    kind: 'step' as const,
    ref: { messageId, stepId },
  }));
  const made: string[] = [];
  for await (const { frames } of renderPages(entries, {
    messages: (wanted) => history.withAgents(wanted),
    steps: async (wanted) => {
      const found = await steps.firstByNames(wanted);
      loaded.push(found.steps.reduce((sum, { step }) => sum + (step.diff?.before.length ?? 0) * 2, 0));
      return found;
    },
    tasks: (wanted) => tasks.firstByIds(wanted),
    conversations: (wanted) => conversations.firstByIds(wanted),
    questions: (wanted) => questions.byIds(wanted),
    approvals: (wanted) => approvals.byIds(wanted),
    pendingQuestions: (projectId) => questions.pendingOf(projectId),
    pendingApprovals: (projectId) => approvals.pendingOf(projectId),
    sessions: (projectId, agentIds) => presence.agentSessions(null, projectId, agentIds),
  }))
    for (const { body } of frames) if (body.type === 'message_step') made.push(body.step.id);
  expect(made).toEqual(ids);
  expect(loaded.length).toBeGreaterThan(1);
  for (const bytes of loaded) expect(bytes).toBeLessThanOrEqual(1_048_576);

  const all = await stepsOf(messageId);
  expect(all.body.steps).toHaveLength(ids.length);
});

test('the list of steps holds 4 MiB of texts; those behind are read one by one', async () => {
  const { caller, messageId } = await atWork(world, agents, membership);
  const half = 'x'.repeat(30_000);
  const diff = { path: 'a', before: half, after: half };
  const ids = Array.from({ length: 80 }, (_, index) => `s${index}`);
  for (const id of ids) await agents.steps.report(caller, { messageId, step: { ...STEP, id, diff } });
  const { body, text } = await stepsOf(messageId);
  expect(body.steps.map(({ id }: Step) => id)).toEqual(ids);
  expect(text.length).toBeLessThan(4.2 * 1_048_576);
  expect(body.steps[0]).toEqual({ ...STEP, id: 's0', diff });
  expect(body.steps.at(-1)).toEqual({
    ...STEP,
    id: 's79',
    detail: '',
    diff: { path: 'a', before: '', after: '' },
    cut: ['detail', 'diff'],
  });
  const one = await world.call(owner, 'GET', `${chat()}/messages/${messageId}/steps?step=s79`);
  expect(one.body).toEqual({ steps: [{ ...STEP, id: 's79', diff }] });
  const none = await world.call(owner, 'GET', `${chat()}/messages/${messageId}/steps?step=s80`);
  expect(none.body).toEqual({ steps: [] });
});

test('usage: by agent, day or model; wrong bounds are 400', async () => {
  const { caller } = await atWork(world, agents, membership);
  const usage = { inputTokens: 12, outputTokens: 3, costUsd: 0.5, durationMs: 700 };
  await agents.deliveries.respond(caller, { content: 'ok', usage, model: 'm-1' });
  const get = (query: string) =>
    world.call(owner, 'GET', `/api/projects/${membership.projectId}/usage${query}`);
  const sums = { messages: 1, ...usage, cacheReadTokens: 0 };
  expect((await get('?by=agent')).body).toEqual({ usage: [{ key: membership.agentId, ...sums }] });
  expect((await get('?by=model')).body).toEqual({ usage: [{ key: 'm-1', ...sums }] });
  expect((await get('')).body).toEqual({
    usage: [{ key: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...sums }],
  });
  for (const wrong of [
    '?by=hour',
    '?from=yesterday',
    '?from=2026-02-30',
    '?to=2026-13-01T00:00:00Z',
    '?to=2026-01-01T00:00:00',
    '?from=2026-01-02&to=2026-01-01',
    '?from=2020-01-01&to=2026-01-01',
    '?from=',
    '?page=1',
  ]) {
    const { status, body } = await get(wrong);
    expect([wrong, status, body.error?.code]).toEqual([wrong, 400, 'invalid_input']);
  }
  const page = await world.call(owner, 'GET', `${chat()}/messages`);
  expect(page.body.messages.at(-1)).toMatchObject({ usage, model: 'm-1' });

  const ofAgent = (query: string) =>
    world.call(owner, 'GET', `/api/agents/${membership.agentId}/usage${query}`);
  expect((await ofAgent('?by=project')).body).toMatchObject({
    usage: [{ key: membership.projectId, ...sums }],
  });
  const { body } = await ofAgent('');
  expect(body).toMatchObject({ to: body.today, usage: [{ key: body.today, ...sums }] });
  expect(Date.parse(body.todayEndsAt)).toBeGreaterThan(Date.now());
  expect(await ofAgent('?by=agent')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_input' } },
  });
});

test('the limits of the container of an agent: set as a whole, shown, removed, and only within bounds', async () => {
  const patch = (limits: unknown) =>
    world.call(owner, 'PATCH', `/api/agents/${membership.agentId}`, { limits });
  expect((await patch({ memoryMb: 2_048, cpus: 2 })).body).toMatchObject({
    limits: { memoryMb: 2_048, cpus: 2 },
  });
  expect((await patch({ processes: 512 })).body.limits).toEqual({ processes: 512 });
  for (const wrong of [{ memoryMb: 63 }, { cpus: 0 }, { cpus: 1.5 }, { processes: '512' }, { disk: 1 }, 64])
    expect(await patch(wrong)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
  expect((await patch(null)).body).not.toHaveProperty('limits');
  const person = { name: 'P', type: 'human', limits: { cpus: 1 } };
  expect((await world.call(owner, 'POST', '/api/agents', person)).status).toBe(400);
});

test('the image of an agent: set, shown, removed, and only what an engine can read', async () => {
  const patch = (image: unknown) =>
    world.call(owner, 'PATCH', `/api/agents/${membership.agentId}`, { image });
  const pinned = `ghcr.io/me/runner:1@sha256:${'a'.repeat(64)}`;
  expect((await patch(pinned)).body).toMatchObject({ image: pinned });
  for (const wrong of ['', 'Runner', 'two words', 'https://ghcr.io/me/runner', `a/${'b'.repeat(254)}`, 1]) {
    const { status, body } = await patch(wrong);
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
    expect(JSON.stringify(body.error.details)).toContain('image');
  }
  expect((await patch(null)).body).not.toHaveProperty('image');
  const person = { name: 'P', type: 'human', image: 'runner' };
  expect((await world.call(owner, 'POST', '/api/agents', person)).status).toBe(400);
});

test('where an agent must run: anywhere, unless it is set, and nothing else', async () => {
  const patch = (executor: unknown) =>
    world.call(owner, 'PATCH', `/api/agents/${membership.agentId}`, { executor });
  expect((await patch('docker')).body).toMatchObject({ executor: 'docker' });
  for (const wrong of ['process', '', null, 1])
    expect(await patch(wrong)).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
  expect((await patch('any')).body).toMatchObject({ executor: 'any' });
});

test('the limit of an agent: set, shown, removed, and only a positive number', async () => {
  const patch = (dailyTokenLimit: unknown) =>
    world.call(owner, 'PATCH', `/api/agents/${membership.agentId}`, { dailyTokenLimit });
  expect((await patch(100_000)).body).toMatchObject({ dailyTokenLimit: 100_000 });
  for (const wrong of [0, -1, 1.5, '100', 1e15]) expect((await patch(wrong)).status).toBe(400);
  expect((await patch(null)).body).not.toHaveProperty('dailyTokenLimit');
  const made = await world.call(owner, 'POST', '/api/agents', { name: 'N', type: 'ai', dailyTokenLimit: 5 });
  expect(made.body).toMatchObject({ dailyTokenLimit: 5 });
  const person = await world.call(owner, 'POST', '/api/agents', {
    name: 'P',
    type: 'human',
    dailyTokenLimit: 5,
  });
  expect(person.status).toBe(400);
});
