import { isDeepStrictEqual } from 'node:util';
import { newId } from '@aizuchi/shared/platform/ids';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { CLIENT_KINDS } from '../src/testing/clients.ts';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { nextConnectionClosed, openHeldCall, sendCall } from '../src/testing/raw-client.ts';
import { COORDINATOR_TOKEN } from '../src/testing/test-app.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

const HOST = {
  coordinator_id: 'host-a',
  host: 'host-a',
  boot_id: 'boot',
  capacity: 50,
  labels: [],
  roots: [],
};

async function held(count: number, at: RunningServer = server): Promise<void> {
  await expect.poll(() => at.context.tools.heldCalls(), { interval: 2 }).toBe(count);
}

describe.each(CLIENT_KINDS)('a chat, %s', (kind) => {
  test('what its project allows an agent to reach comes with the start', async () => {
    const { projects, chat, owner } = world.services;
    const membership = await world.services.agentInProject();
    await projects.update(owner, membership.projectId, { egress: ['example.org'] });
    const coordinator = await world.connect(server, COORDINATOR_TOKEN, kind);
    // A run that its host does not list for five seconds is lost, and waits again: not on the host of other tests.
    const coordinator_id = `host-${membership.agentId}`;
    const beat = {
      ...HOST,
      coordinator_id,
      executor: 'docker',
      keeps_egress: true,
      running: [],
      hold_seconds: 0,
    };
    await coordinator.call('wait_for_agent_actions', beat);
    await chat.start(owner, { ...membership, viewerId: 'v1' });
    const { structured } = await coordinator.call('get_agent_action', {
      agent_id: membership.agentId,
      project_id: membership.projectId,
      coordinator_id,
    });
    expect(structured).toMatchObject({
      action: 'start',
      egress: ['example.org'],
      working_directory: expect.any(String),
    });
    await projects.remove(owner, membership.projectId);
  });

  test('from the opened panel to the goodbye: start, ready, message, answer, close', async () => {
    const { agents, chat, history, owner, runs } = world.services;
    const membership = await world.services.agentInProject();
    const coordinator = await world.connect(server, COORDINATOR_TOKEN, kind);

    // On a busy machine the first hold may end before the start.
    const untilWork = async () => {
      for (;;) {
        const beat = { ...HOST, running: [], hold_seconds: 5 };
        const { structured } = await coordinator.call('wait_for_agent_actions', beat);
        if (!isDeepStrictEqual(structured, { pairs: [], stop: [] })) return structured;
      }
    };
    const waiting = untilWork();
    await held(1);
    expect(await chat.start(owner, { ...membership, viewerId: 'v1' })).toMatchObject({ status: 'started' });
    const ids = { agent_id: membership.agentId, project_id: membership.projectId };
    expect(await waiting).toEqual({ pairs: [ids], stop: [] });

    await agents.update(owner, membership.agentId, {
      limits: { memoryMb: 2_048, cpus: 2 },
      image: 'ghcr.io/me/runner:1',
    });
    const start = await coordinator.call('get_agent_action', { ...ids, coordinator_id: 'host-a' });
    expect(start.structured).toMatchObject({
      action: 'start',
      reason: 'has_pending_purpose',
      purpose: 'chat',
      provider: 'builtin',
      working_directory_made: true,
      limits: { memory_mb: 2_048, cpus: 2 },
      image: 'ghcr.io/me/runner:1',
      executor: 'any',
    });
    const runId = start.structured?.run_id;
    expect((await coordinator.call('get_agent_action', ids)).structured).toEqual({
      action: 'hold',
      reason: 'spawn_in_progress',
    });
    const report = { run_id: runId, coordinator_id: 'host-a', host: 'host-a', boot_id: 'boot' };
    const started = await coordinator.call('report_process_started', {
      ...report,
      pid: 1,
      start_ticks: 1,
      executor: 'docker',
      image: 'runner',
      limits: { memory_mb: 1_024, cpus: 2, processes: 256 },
    });
    expect(started.structured).toEqual({ accepted: true });
    const beat = { ...HOST, running: [runId], hold_seconds: 0 };
    await coordinator.call('wait_for_agent_actions', { ...beat, memory: [{ run_id: runId, memory_mb: 90 }] });
    expect(await runs.get(owner, String(runId))).toMatchObject({
      executor: 'docker',
      image: 'runner',
      limits: { memoryMb: 1_024, cpus: 2, processes: 256 },
      memory: { nowMb: 90, mostMb: 90 },
    });

    const { ticket } = z.object({ ticket: z.string() }).parse(start.structured?.launch);
    const agent = await world.connect(server, ticket, kind);
    expect((await agent.call('authenticate')).structured).toMatchObject({ success: true, purpose: 'chat' });
    expect((await agent.call('get_my_profile')).structured).toMatchObject({
      agent_id: membership.agentId,
      purpose: 'chat',
      provider: 'builtin',
      project: { project_id: membership.projectId, status: 'active', permission_policy: 'ask' },
    });
    expect((await agent.call('list_project_agents')).structured).toMatchObject({
      agents: expect.arrayContaining([
        expect.objectContaining({ agent_id: 'owner', type: 'human', is_self: false }),
        expect.objectContaining({
          agent_id: membership.agentId,
          type: 'ai',
          is_self: true,
          active_sessions: 1,
        }),
      ]),
    });

    const next = agent.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    const content = 'タスクの進捗を教えてください';
    await chat.post(owner, { ...membership, content });
    expect((await next).structured).toMatchObject({ action: 'get_pending_messages', state: 'active' });
    const fetched = await agent.call('get_pending_messages');
    expect(fetched.structured).toMatchObject({
      source: { kind: 'chat' },
      pending_messages: [{ content, senderId: 'user', humanId: 'owner', state: 'delivered' }],
    });
    expect(fetched.structured).not.toHaveProperty('repeat');
    expect((await agent.call('list_tasks')).structured).toMatchObject({ tasks: [], counts: { todo: 0 } });
    const answer = { content: '順調です', idempotency_key: 'k1' };
    const first = await agent.call('respond_chat', answer);
    expect(first.structured).toMatchObject({
      success: true,
      answered_count: 1,
      message: { content: '順調です' },
    });
    expect((await agent.call('respond_chat', answer)).structured).toEqual(first.structured);
    const page = await history.list(owner, { ...membership, limit: 10 });
    expect(page.messages.map((message) => message.content)).toEqual([content, '順調です']);
    expect((await agent.call('get_pending_messages')).structured).toMatchObject({ source: null });

    const last = agent.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    expect(await chat.end(owner, { ...membership, viewerId: 'v1' })).toEqual({ ended: 1, viewersLeft: 0 });
    expect((await last).structured).toMatchObject({
      action: 'exit',
      reason: 'user_closed_chat',
      state: 'terminating',
    });
    expect((await agent.call('logout')).structured).toMatchObject({ success: true });
    const afterwards = await agent.call('get_next_action');
    expect(afterwards.structured).toMatchObject({ action: 'exit', state: 'ended' });
    expect(afterwards.structured).not.toHaveProperty('repeat');
    const exit = await coordinator.call('report_process_exit', { run_id: runId, exit_code: 0 });
    expect(exit.structured).toEqual({ accepted: true });
  });

  test('steps and usage: reported on the way, kept with the answer', async () => {
    const { services } = world;
    const membership = await services.agentInProject();
    const { ticket } = await services.warmAgent(membership, `host-${membership.agentId}`);
    const agent = await world.connect(server, ticket, kind);
    await services.chat.post(services.owner, { ...membership, content: 'How is it going?' });
    const { batch_id } = z
      .object({ batch_id: z.string() })
      .parse((await agent.call('get_pending_messages')).structured);
    const message_id = newId('msg');
    const step = { id: 's1', kind: 'command', title: 'npm test', status: 'running' };
    const report = (more: object) => agent.call('report_step', { message_id, step: { ...step, ...more } });
    expect((await report({})).structured).toEqual({ control: null, recorded: true });
    expect((await report({ status: 'done', detail: 'x'.repeat(5_000) })).structured).toEqual({
      control: null,
      recorded: true,
      cut: ['detail'],
    });
    const usage = { input_tokens: 10, output_tokens: 2, cost_usd: 0.5, duration_ms: 900 };
    const answer = { batch_id, message_id, content: 'All green.', usage, model: 'm-1' };
    expect((await agent.call('respond_chat', answer)).structured).toMatchObject({
      message: {
        id: message_id,
        steps: 1,
        usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.5, durationMs: 900 },
        model: 'm-1',
      },
    });
    const late = await report({ status: 'failed' });
    expect(late.isError).toBe(true);
    const { steps } = await services.steps.list(services.owner, { ...membership, messageId: message_id });
    expect(steps).toEqual([{ ...step, status: 'done', detail: 'x'.repeat(4_096), cut: ['detail'] }]);
  });

  test('sign-in by passkey: refused, accepted, refused beside a live session, replaced', async () => {
    const membership = await world.services.agentInProject();
    const { owner } = world.services;
    const { passkey } = await world.services.agents.setPasskey(owner, membership.agentId, {});
    const ids = { agent_id: membership.agentId, project_id: membership.projectId };
    const client = await world.connect(server, undefined, kind);
    const refusals = await Promise.all(
      [{ ...ids, passkey: 'wrong-passkey' }, { ...ids, agent_id: 'agt_nobody', passkey }, { ...ids }].map(
        async (args) => (await client.call('authenticate', args)).structured,
      ),
    );
    for (const refusal of refusals) expect(refusal).toMatchObject({ success: false, action: 'exit' });
    expect(new Set(refusals.map((refusal) => refusal?.error)).size).toBe(1);

    const signedIn = await client.call('authenticate', { ...ids, passkey });
    expect(signedIn.structured).toMatchObject({ success: true, session_token: expect.any(String) });
    const token = signedIn.structured?.session_token;
    const again = await client.call('authenticate', { ...ids, passkey });
    expect(again.structured).toMatchObject({ success: false, action: 'exit', code: 'session_exists' });
    const old = client.call('get_next_action', { session_token: token, hold_seconds: 25 });
    await held(1);
    const replaced = await client.call('authenticate', { ...ids, passkey, replace: true });
    expect(replaced.structured).toMatchObject({ success: true });
    expect((await old).structured).toMatchObject({ action: 'exit', reason: 'replaced' });
  });

  test('a remembered session that was replaced meanwhile is refused before its arguments are checked', async () => {
    const membership = await world.services.agentInProject();
    const { passkey } = await world.services.agents.setPasskey(world.services.owner, membership.agentId, {});
    const ids = { agent_id: membership.agentId, project_id: membership.projectId, passkey };
    const client = await world.connect(server, undefined, kind);
    const { session_token } = (await client.call('authenticate', ids)).structured ?? {};
    await client.call('get_next_action', { session_token });
    expect((await client.call('get_pending_messages', { session_token })).structured).toMatchObject({
      source: null,
    });
    await client.call('authenticate', { ...ids, replace: true });
    for (const [tool, args] of [
      ['get_pending_messages', {}],
      ['respond_chat', { content: 'too late' }],
      ['respond_chat', { content: 17 }],
      ['respond_chat', { content: 'too late', target_agent_id: 'agt_nobody' }],
    ] as const) {
      const { error } = JSON.parse((await client.call(tool, { session_token, ...args })).text);
      expect([tool, error.code]).toEqual([tool, 'unauthenticated']);
    }
  });
});

describe('nothing is lost in transit', () => {
  test('trap 14: messages whose reader was cut off are given again, marked, until they are answered', async () => {
    const membership = await world.services.agentInProject();
    const { ticket } = await world.services.warmAgent(membership);
    await world.services.chat.post(world.services.owner, { ...membership, content: 'hello' });
    const { deliveries } = server.context.tools;
    const taken = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const take = deliveries.take.bind(deliveries);
    const slow = vi.spyOn(deliveries, 'take').mockImplementationOnce(async (caller) => {
      const delivery = await take(caller);
      taken.resolve();
      await goOn.promise;
      return delivery;
    });
    const seenToClose = nextConnectionClosed(server.http);
    const first = sendCall(server.port, { bearer: ticket, tool: 'get_pending_messages', args: {} });
    await taken.promise;
    first.close();
    await seenToClose;
    goOn.resolve();
    await slow.mock.results[0]?.value;
    slow.mockRestore();

    const agent = await world.connect(server, ticket);
    const again = await agent.call('get_pending_messages');
    expect(again.structured).toMatchObject({ repeat: true, pending_messages: [{ content: 'hello' }] });
    await agent.call('respond_chat', { batch_id: again.structured?.batch_id, content: 'hello, too' });
    expect((await agent.call('get_pending_messages')).structured).toMatchObject({ source: null });
  });

  test('trap 14: a held call whose client has left consumes nothing', async () => {
    const membership = await world.services.agentInProject();
    const { ticket } = await world.services.warmAgent(membership);
    const gone = await openHeldCall(server.port, { bearer: ticket, holdSeconds: 25 });
    await held(1);
    gone.close();
    await held(0);
    await world.services.chat.post(world.services.owner, { ...membership, content: 'hello' });
    const agent = await world.connect(server, ticket);
    expect((await agent.call('get_next_action', { hold_seconds: 25 })).structured).toMatchObject({
      action: 'get_pending_messages',
    });
    const fetched = await agent.call('get_pending_messages');
    expect(fetched.structured).toMatchObject({ pending_messages: [{ content: 'hello' }] });
    expect(fetched.structured).not.toHaveProperty('repeat');
  });

  test('when connections to the database break, held calls continue to wait and learn what follows', async () => {
    const membership = await world.services.agentInProject();
    const { ticket } = await world.services.warmAgent(membership);
    const agent = await world.connect(server, ticket);
    const next = agent.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    // Its first read has returned: a call whose first read breaks is answered as unavailable at once, which
    // is correct.
    await agent.call('get_my_profile', {});
    await expect.poll(() => busyConnections()).toBe(0);
    await world.services.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name in ('aizuchi-mcp', 'aizuchi-listen')`,
    );
    await world.services.chat.post(world.services.owner, { ...membership, content: 'hello' });
    expect((await next).structured).toMatchObject({ action: 'get_pending_messages' });
  });

  test('two servers on one database: a newer call at one ends the older at the other', async () => {
    const membership = await world.services.agentInProject();
    const { ticket } = await world.services.warmAgent(membership);
    const second = await world.startServer();
    const here = await openHeldCall(server.port, { bearer: ticket, holdSeconds: 25 });
    await held(1);
    // The two must know each other: a server that knows no other one does not announce its calls.
    await expect.poll(() => second.context.tools.peers.count).toBe(1);
    const there = await openHeldCall(second.port, { bearer: ticket, holdSeconds: 25 });
    await expect.poll(() => here.received()).toContain('"superseded":true');
    await held(1, second);
    await world.services.chat.post(world.services.owner, { ...membership, content: 'hello' });
    await expect.poll(() => there.received()).toContain('get_pending_messages');
    here.close();
    there.close();
    await second.stop();
  });
});

async function busyConnections(): Promise<number> {
  const { rowCount } = await world.services.database.pool.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name = 'aizuchi-mcp' and state = 'active'`,
  );
  return rowCount ?? 0;
}

test.each(['resident', 'per_work'] as const)('%s: what a model reads when nothing waits', async (mode) => {
  const { agents, chat, coordination, owner } = world.services;
  const membership = await world.services.agentInProject();
  const command = { file: 'agent', args: [], mode };
  await agents.update(owner, membership.agentId, { provider: 'command', command });
  await world.services.coordinator();
  await chat.post(owner, { ...membership, content: 'hello' });
  const { ticket, runId } = await world.services.signIn(membership);
  const agent = await world.connect(server, ticket, CLIENT_KINDS[0]);
  const batch = (await agent.call('get_pending_messages')).structured?.batch_id;
  await agent.call('respond_chat', { batch_id: batch, content: 'hello' });
  const { structured } = await agent.call('get_next_action');
  expect(structured).toMatchObject({ action: 'wait_for_messages', wait_seconds: 5 });
  // A model does what the instruction says: one that waits for nothing would be asked again and again.
  expect(structured?.instruction).toMatch(mode === 'per_work' ? /logout/ : /5.*get_next_action/);
  await agent.call('logout');
  await coordination.reportProcessExit({ runId, exitCode: 0 });
});
