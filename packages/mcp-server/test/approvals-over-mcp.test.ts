import type { DecideApprovalBody } from '@aizuchi/shared/contract/approval';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLIENT_KINDS, type TestClient } from '../src/testing/clients.ts';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { openHeldCall } from '../src/testing/raw-client.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

const REQUEST = { tool: 'Bash', summary: 'Run the tests', input: { command: 'npm test' }, kind: 'command' };

async function held(count: number, at: RunningServer = server): Promise<void> {
  await expect.poll(() => at.context.tools.heldCalls(), { interval: 2 }).toBe(count);
}

/** A warm agent that works on a person's message, and its client. */
async function working(kind = CLIENT_KINDS[0], at: RunningServer = server) {
  const { services } = world;
  const membership = await services.agentInProject();
  const { ticket, runId } = await services.warmAgent(membership);
  await services.chat.post(services.owner, { ...membership, content: 'Please work' });
  const client = await world.connect(at, ticket, kind);
  await client.call('get_pending_messages');
  return { membership, ticket, runId, client };
}

const request = (client: TestClient, args: Record<string, unknown> = {}) =>
  client.call('request_approval', { ...REQUEST, ...args });

/** The approvals that people are shown, once there are so many. */
async function shown(projectId: string, count = 1): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const pending = await world.services.approvals.pendingOf(projectId);
      expect(pending).toHaveLength(count);
      return pending.map(({ id }) => id);
    },
    { interval: 5, timeout: LONG_TIMEOUT_MS },
  );
}

const decide = (id: string | undefined, body: DecideApprovalBody) =>
  world.services.approvals.decide(world.services.owner, id ?? '', body);

describe.each(CLIENT_KINDS)('a request for permission, %s', (kind) => {
  test('is held until a person has decided, and answered once', async () => {
    const { membership, client } = await working(kind);
    const call = request(client);
    const [id] = await shown(membership.projectId);
    await held(1);
    await decide(id, { decision: 'deny', note: 'Not now.' });
    const { structured } = await call;
    expect(structured).toMatchObject({ status: 'denied', tool_use_id: id, note: 'Not now.' });
    expect((await client.call('get_next_action')).structured).toMatchObject({
      action: 'get_pending_messages',
      repeat: true,
    });
  });

  test('goes on by its id, or by the next action', async () => {
    const { client } = await working(kind);
    const first = (await request(client, { hold_seconds: 0 })).structured;
    expect(first).toMatchObject({ status: 'pending', instruction: expect.stringContaining('tool_use_id') });
    const id = String(first?.tool_use_id);
    expect((await request(client, { hold_seconds: 0 })).structured).toMatchObject({ tool_use_id: id });
    const again = client.call('request_approval', { tool_use_id: id, hold_seconds: 0 });
    expect((await again).structured).toMatchObject({ status: 'pending', tool_use_id: id });
    const next = client.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    await decide(id, { decision: 'allow_session' });
    const { structured } = await next;
    expect(structured).toMatchObject({
      action: 'approval_resolved',
      tool_use_id: id,
      status: 'allowed_session',
      receipt: `approval:${id}`,
    });
    expect(structured).not.toHaveProperty('note');
    expect((await client.call('get_next_action')).structured).toMatchObject({
      action: 'get_pending_messages',
    });
    // What was told is used: the same request is asked anew.
    expect((await request(client, { hold_seconds: 0 })).structured).toMatchObject({ status: 'pending' });
  });
});

describe('a request and its faults', () => {
  test('several of a model at once stand side by side, each with its own decision', async () => {
    const { membership, client } = await working();
    const commands = ['one', 'two', 'three'];
    const calls = commands.map((command) => request(client, { summary: command, input: { command } }));
    const ids = await shown(membership.projectId, 3);
    await held(3);
    for (const id of ids) {
      const { approvals } = await world.services.approvals.list(world.services.owner, membership.projectId, {
        limit: 9,
      });
      const summary = approvals.find((one) => one.id === id)?.summary;
      await decide(id, summary === 'two' ? { decision: 'allow_once' } : { decision: 'deny' });
    }
    const statuses = (await Promise.all(calls)).map(({ structured }) => structured?.status);
    expect(statuses).toEqual(['denied', 'allowed_once', 'denied']);
  });

  test('trap 14: a call whose client has left takes no decision with it', async () => {
    const { membership, ticket, client } = await working();
    const call = await openHeldCall(server.port, {
      bearer: ticket,
      holdSeconds: 25,
      tool: 'request_approval',
      args: REQUEST,
    });
    const [id] = await shown(membership.projectId);
    await held(1);
    call.close();
    await held(0);
    await decide(id, { decision: 'allow_once' });
    expect((await request(client)).structured).toMatchObject({ status: 'allowed_once', tool_use_id: id });
  });

  test('a held call of a session that has ended gets no permission: its successor has it', async () => {
    const { services } = world;
    const { membership, runId, client } = await working();
    const call = request(client);
    const [id] = await shown(membership.projectId);
    await held(1);
    // The run is given up; its process still lives.
    await services.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
    services.clock.advance(2_000);
    await services.coordinator();
    const next = await services.warmAgent(membership);
    const successor = await world.connect(server, next.ticket);
    await successor.call('get_pending_messages');
    await decide(id, { decision: 'allow_once' });
    const refused = await call;
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('This session is over') });
    expect((await successor.call('get_next_action')).structured).toMatchObject({
      action: 'approval_resolved',
      tool_use_id: id,
      status: 'allowed_once',
    });
  });

  test('the server restarts while a person thinks: the same request finds the same approval', async () => {
    const first = await world.startServer();
    const { membership, ticket, client } = await working(CLIENT_KINDS[0], first);
    const call = request(client);
    const [id] = await shown(membership.projectId);
    await held(1, first);
    await first.stop();
    await call.catch(() => undefined);
    const again = request(await world.connect(server, ticket));
    await held(1);
    await decide(id, { decision: 'allow_once' });
    expect((await again).structured).toMatchObject({ status: 'allowed_once', tool_use_id: id });
  });

  test('an interrupt cancels all of them, and no cancellation is a permission', async () => {
    const { services } = world;
    const { membership, client } = await working();
    const calls = ['one', 'two'].map((command) => request(client, { input: { command } }));
    await shown(membership.projectId, 2);
    await held(2);
    await services.chat.interrupt(services.owner, membership);
    for (const { structured } of await Promise.all(calls))
      expect(structured).toMatchObject({
        status: 'cancelled',
        instruction: expect.stringContaining('許可では'),
      });
  });

  test('the policy of the project answers without a person', async () => {
    const { services } = world;
    const { membership, client } = await working();
    await services.projects.update(services.owner, membership.projectId, { permissionPolicy: 'allow_edits' });
    expect((await request(client, { kind: 'edit' })).structured).toMatchObject({ status: 'allowed_once' });
    expect((await request(client, { hold_seconds: 0 })).structured).toMatchObject({ status: 'pending' });
    await services.projects.update(services.owner, membership.projectId, { permissionPolicy: 'deny' });
    expect((await request(client, { input: { command: 'ls' } })).structured).toMatchObject({
      status: 'denied',
      note: expect.stringContaining('deny'),
    });
  });

  test('the policy reaches the agent when it signs in', async () => {
    const { services } = world;
    const membership = await services.agentInProject();
    await services.projects.update(services.owner, membership.projectId, { permissionPolicy: 'allow_edits' });
    await services.coordinator();
    await services.chat.start(services.owner, { ...membership, viewerId: 'viewer-1' });
    const start = await services.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    if (start.action !== 'start' || start.ticket === null) throw new Error('no start');
    const client = await world.connect(server, start.ticket);
    expect((await client.call('authenticate')).structured).toMatchObject({
      success: true,
      permission_policy: 'allow_edits',
    });
  });

  test.each([
    ['no tool', { tool: undefined }],
    ['an empty tool', { tool: ' ' }],
    ['a tool of two lines', { tool: 'Bash\nls' }],
    ['a tool of 101 characters', { tool: 'a'.repeat(101) }],
    ['no summary', { summary: undefined }],
    ['a summary of 501 characters', { summary: 'あ'.repeat(501) }],
    ['no input', { input: undefined }],
    ['an input that no database holds', { input: { command: 'a\u0000b' } }],
    ['an unknown kind', { kind: 'read' }],
    ['an id that is none', { tool_use_id: 'a b' }],
    ['a hold that is too long', { hold_seconds: 26 }],
    ['something else', { allow: true }],
  ])('%s is refused with a sentence, and shown to nobody', async (_name, args) => {
    const { membership, client } = await working();
    const reply = await request(client, args);
    expect(reply.isError).toBe(true);
    expect(JSON.parse(reply.text).error).toMatchObject({
      code: 'invalid_input',
      message: expect.any(String),
    });
    expect(await world.services.approvals.pendingOf(membership.projectId)).toEqual([]);
  });
});

test('trap 18: for a schedule the tool is not offered, and a call of it permits nothing', async () => {
  const { services } = world;
  const membership = await services.agentInProject();
  const { id } = await services.schedules.create(services.owner, membership.projectId, {
    agentId: membership.agentId,
    cron: '0 9 * * *',
    prompt: 'Write the report',
    enabled: true,
    onMissed: 'skip',
  });
  await services.schedules.run(services.owner, id);
  await services.coordinator();
  const start = await services.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (start.action !== 'start' || start.ticket === null) throw new Error('no start');
  const client = await world.connect(server, start.ticket);
  await client.call('authenticate');
  expect((await client.listTools()).map(({ name }) => name)).not.toContain('request_approval');
  await client.call('get_pending_messages');
  const { structured } = await request(client);
  expect(structured).toMatchObject({ status: 'unavailable' });
  expect(structured).not.toHaveProperty('receipt');
  expect(await services.approvals.pendingOf(membership.projectId)).toEqual([]);
  const interactive = await working();
  expect((await interactive.client.listTools()).map(({ name }) => name)).toContain('request_approval');
});
