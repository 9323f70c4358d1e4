import { keys } from '@aizuchi/shared/platform/change-log/keys';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CLIENT_KINDS, connectClient } from '../testing/clients.ts';
import { FakeServices } from '../testing/fake-services.ts';
import { openHeldCall } from '../testing/raw-client.ts';
import { COORDINATOR_TOKEN, startTestApp } from '../testing/test-app.ts';
import { TOOL_LIST } from '../tool-registry.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(options: Parameters<typeof startTestApp>[1] = {}) {
  const services = new FakeServices();
  const app = await startTestApp(services, options);
  stops.push(app.stop);
  const held = (count: number) => expect.poll(() => app.tools.heldCalls(), { interval: 2 }).toBe(count);
  return { services, app, held, wake: (n: number) => app.tools.onKeys([`a:prj_1/agt_${n}`]) };
}

describe.each(CLIENT_KINDS)('held calls, %s', (kind) => {
  async function connect(mcpUrl: string, bearer: string) {
    const client = await connectClient(kind, mcpUrl, bearer);
    stops.push(client.close);
    return client;
  }

  test('it uses its own protocol generation', async () => {
    const { app } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    const expected = kind === 'client 2.4, envelope' ? '2026-07-28' : '2025-11-25';
    expect(client.protocolVersion()).toBe(expected);
    expect((await client.listTools()).length).toBe(TOOL_LIST.length);
  });

  test('without hold it answers as the seed does', async () => {
    const { app } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    const reply = await client.call('get_next_action');
    expect(reply.structured).toEqual({
      action: 'wait_for_messages',
      wait_seconds: 5,
      instruction: '5秒後に再度get_next_actionを呼び出してください',
      state: 'active',
    });
    expect(JSON.parse(reply.text)).toEqual(reply.structured);
  });

  test('it returns as soon as there is something to report, with progress meanwhile when requested', async () => {
    const { services, app, held, wake } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    await client.listTools();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const progress: number[] = [];
    const call = client.call(
      'get_next_action',
      { hold_seconds: 25 },
      { onProgress: (value) => progress.push(value) },
    );
    await held(1);
    vi.advanceTimersByTime(20_000);
    vi.useRealTimers();
    await expect.poll(() => progress).toEqual([10, 20]);
    services.actions.set('ses_1', { kind: 'get_pending_messages', again: false });
    wake(1);
    expect((await call).structured).toMatchObject({ action: 'get_pending_messages', state: 'active' });
    await held(0);
  });

  test('when nothing happens it answers after its time, and need not wait then', async () => {
    const { app } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    const reply = await client.call('get_next_action', { hold_seconds: 0.05 });
    expect(reply.structured).toMatchObject({ action: 'wait_for_messages', wait_seconds: 0 });
  });

  test('a newer call of the session ends the older one', async () => {
    const { app, held } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    const older = client.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    const newer = client.call('get_next_action', { hold_seconds: 25 });
    expect((await older).structured).toMatchObject({
      action: 'wait_for_messages',
      superseded: true,
      wait_seconds: 0,
    });
    await held(1);
    await app.stop();
    expect((await newer).structured).not.toHaveProperty('superseded');
  });

  test('a call whose client gives up is forgotten: nothing is offered to it', async () => {
    const { services, app, held, wake } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    const giveUp = new AbortController();
    const call = client.call('get_next_action', { hold_seconds: 25 }, { signal: giveUp.signal });
    await held(1);
    giveUp.abort();
    await expect(call).rejects.toThrow();
    await held(0);
    services.actions.set('ses_1', { kind: 'exit', reason: 'user_closed_chat' });
    wake(1);
    expect(services.offered).toEqual([]);
  });

  test('an end is first offered, and acknowledged after it was written', async () => {
    const { services, app, held, wake } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    const call = client.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    services.actions.set('ses_1', { kind: 'exit', reason: 'user_closed_chat' });
    wake(1);
    const reply = await call;
    expect(reply.structured).toMatchObject({
      action: 'exit',
      reason: 'user_closed_chat',
      state: 'terminating',
    });
    expect(reply.structured).not.toHaveProperty('repeat');
    expect(services.offered).toEqual(['ses_1']);
    await expect.poll(() => services.written).toEqual(['exit']);
  });

  test('an end that is taken back before it is offered is not told', async () => {
    const { services, app } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    services.actions.set('ses_1', { kind: 'exit', reason: 'user_closed_chat' });
    services.sessions.offerEnd = async () => null;
    const reply = await client.call('get_next_action', { hold_seconds: 25 });
    expect(reply.structured).toMatchObject({ action: 'wait_for_messages', wait_seconds: 0, state: 'active' });
    expect(services.written).toEqual([]);
  });

  test.each(['succeeds', 'fails'])(
    'another tool of the session that %s is followed by a read, without any hint',
    async (end) => {
      const { services, app, held } = await start();
      const client = await connect(app.mcpUrl, 'ses_1');
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      services.deliveries.respond = async () => {
        begun.resolve();
        await goOn.promise;
        services.actions.set('ses_1', { kind: 'get_pending_messages', again: true });
        if (end === 'fails') throw new Error('after its effect');
        return { message: null, answered: 1 };
      };
      const other = client.call('respond_chat', { content: 'done' });
      await begun.promise;
      // It reads the state as it was before the effect of the other call.
      const call = client.call('get_next_action', { hold_seconds: 25 });
      await held(1);
      await expect.poll(() => services.reads).toBe(1);
      goOn.resolve();
      await other;
      expect((await call).structured).toMatchObject({ action: 'get_pending_messages' });
    },
  );

  test('a heartbeat is held until a person requests something', async () => {
    const { services, app, held, wake } = await start();
    const client = await connect(app.mcpUrl, 'ses_1');
    expect((await client.call('heartbeat', { phase: 'thinking' })).structured).toEqual({ control: null });
    const call = client.call('heartbeat', { phase: 'writing', hold_seconds: 10 });
    await held(1);
    services.controls.set('ses_1', { control: 'interrupt', repeat: false });
    wake(1);
    expect((await call).structured).toEqual({ control: 'interrupt', receipt: 'control:interrupt' });
    // Once only: an agent that continues to hold does not get the same answer again and again.
    const next = await client.call('heartbeat', { phase: 'writing', hold_seconds: 0.02 });
    expect(next.structured).toEqual({ control: null });
    // One heartbeat for each call, and none for each read.
    expect(services.beats).toEqual(['ses_1', 'ses_1', 'ses_1']);
  });

  test('a Coordinator waits for work, and counts as seen at the begin and at the end of the call', async () => {
    const { services, app, held } = await start();
    const client = await connect(app.mcpUrl, COORDINATOR_TOKEN);
    const host = { coordinator_id: 'c1', host: 'h', boot_id: 'b', capacity: 1 };
    const seen = { ...host, running: [], labels: [], roots: [] };
    const idle = await client.call('wait_for_agent_actions', { ...seen, hold_seconds: 0.02 });
    expect(idle.structured).toEqual({ pairs: [], stop: [] });
    expect(services.beats).toEqual(['c1', 'c1']);
    const call = client.call('wait_for_agent_actions', { ...seen, hold_seconds: 5 });
    await held(1);
    services.workFor = {
      pairs: [{ agentId: 'agt_1', projectId: 'prj_1' }],
      stop: [{ runId: 'run_1', reason: 'r' }],
      changes: [{ runId: 'run_2', madeFor: 'run_1', order: 'keep', number: 3 }],
    };
    app.tools.onKeys(['w']);
    const work = {
      pairs: [{ agent_id: 'agt_1', project_id: 'prj_1' }],
      stop: [{ run_id: 'run_1', reason: 'r' }],
      changes: [{ run_id: 'run_2', made_for: 'run_1', order: 'keep', number: 3 }],
    };
    expect((await call).structured).toEqual(work);
    expect(services.beats).toEqual(['c1', 'c1', 'c1', 'c1']);
    // A Coordinator that always has work is asked to look, too.
    services.isLookWanted = true;
    const busy = await client.call('wait_for_agent_actions', { ...seen, hold_seconds: 5 });
    expect(busy.structured).toEqual({ ...work, look_for_programs: true });
  });

  test('a stopping server answers every held call within seconds', async () => {
    const { app, held } = await start();
    const agent = await connect(app.mcpUrl, 'ses_1');
    const coordinator = await connect(app.mcpUrl, COORDINATOR_TOKEN);
    const next = agent.call('get_next_action', { hold_seconds: 25 });
    const beat = agent.call('heartbeat', { phase: 'thinking', hold_seconds: 25 });
    const work = coordinator.call('wait_for_agent_actions', {
      coordinator_id: 'c1',
      host: 'h',
      boot_id: 'b',
      capacity: 1,
      running: [],
      labels: [],
      roots: [],
      hold_seconds: 5,
    });
    await held(3);
    const begin = Date.now();
    await app.stop();
    expect((await next).structured).toMatchObject({ action: 'wait_for_messages' });
    expect((await beat).structured).toEqual({ control: null });
    expect((await work).structured).toEqual({ pairs: [], stop: [] });
    // Long before the holds end by themselves.
    expect(Date.now() - begin).toBeLessThan(20_000);
  });
});

describe('held calls on the wire', () => {
  test('a Coordinator at rest costs no read, and work whose hint was lost is found by its next call', async () => {
    const { services, app } = await start();
    const client = await connectClient('sdk 1.32', app.mcpUrl, COORDINATOR_TOKEN);
    stops.push(client.close);
    const host = {
      coordinator_id: 'c1',
      host: 'h',
      boot_id: 'b',
      capacity: 1,
      running: [],
      labels: [],
      roots: [],
    };
    const call = async () =>
      (await client.call('wait_for_agent_actions', { ...host, hold_seconds: 0.1 })).structured;
    const work = vi.spyOn(services.coordination, 'work');
    const nothing = { pairs: [], stop: [] };
    expect([await call(), await call()]).toEqual([nothing, nothing]);
    expect(work).toHaveBeenCalledTimes(1);
    const pairs = [{ agentId: 'agt_1', projectId: 'prj_1' }];
    services.workFor = { pairs, stop: [], changes: [] };
    expect(await call()).toEqual(nothing);
    expect(await call()).toEqual({ ...nothing, pairs: [{ agent_id: 'agt_1', project_id: 'prj_1' }] });
  });

  test('a call that waits for the folder looks again at each change in its project; others do not', async () => {
    const { services, app, held } = await start();
    services.actions.set('ses_1', { kind: 'wait', folderOf: 'prj_1' });
    const call = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 25 });
    stops.push(call.close);
    // Once more when it is known that it waits for the folder.
    await expect.poll(() => services.reads).toBe(2);
    const other = await openHeldCall(app.port, { bearer: 'ses_2', holdSeconds: 25 });
    stops.push(other.close);
    await expect.poll(() => services.reads).toBe(3);
    await held(2);
    services.actions.set('ses_1', { kind: 'get_pending_messages', again: false });
    services.actions.set('ses_2', { kind: 'get_pending_messages', again: false });
    app.tools.onKeys(['l:prj_1']);
    await expect.poll(() => call.received()).toContain('get_pending_messages');
    await held(1);
    expect(services.reads).toBe(4);
  });

  test('without a hold, the answer says that another agent works in the folder', async () => {
    const { services, app } = await start();
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    services.actions.set('ses_1', { kind: 'wait', folderOf: 'prj_1' });
    expect((await client.call('get_next_action')).structured).toMatchObject({
      action: 'wait_for_messages',
      wait_seconds: 5,
      instruction: expect.stringContaining('別のエージェント'),
    });
  });

  test('headers and a comment are sent at once, before there is an answer', async () => {
    const { app } = await start();
    const call = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 25 });
    stops.push(call.close);
    expect(call.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*content-type: text\/event-stream/i);
    expect(call.received()).toContain(': held\n\n');
    expect(call.received()).not.toContain('data:');
  });

  test('an offer whose connection breaks before the answer is offered again, marked', async () => {
    const { services, app, held, wake } = await start();
    const seenToClose = new Promise((resolve) => {
      app.app.server.once('connection', (socket) => socket.once('close', resolve));
    });
    const broken = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 25 });
    await held(1);
    const offered = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { offerEnd } = services.sessions;
    services.sessions.offerEnd = async (id) => {
      offered.resolve();
      await goOn.promise;
      return offerEnd(id);
    };
    services.actions.set('ses_1', { kind: 'logout', reason: 'session_timeout' });
    wake(1);
    await offered.promise;
    broken.close();
    await seenToClose;
    goOn.resolve();
    const again = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 25 });
    stops.push(again.close);
    await expect.poll(() => again.received()).toContain('"repeat":true');
    expect(services.offered).toEqual(['ses_1', 'ses_1']);
    await expect.poll(() => services.written).toEqual(['exit']);
  });

  test('a control whose client left before it was written is offered again, marked', async () => {
    const { services, app, held, wake } = await start();
    const seenToClose = new Promise((resolve) => {
      app.app.server.once('connection', (socket) => socket.once('close', resolve));
    });
    const beat = { bearer: 'ses_1', tool: 'heartbeat', args: { phase: 'writing' } };
    const broken = await openHeldCall(app.port, { ...beat, holdSeconds: 10 });
    await held(1);
    const { offerControl } = services.sessions;
    services.sessions.offerControl = async (id, control) => {
      broken.close();
      await seenToClose;
      return offerControl(id, control);
    };
    services.controls.set('ses_1', { control: 'stop', repeat: false });
    wake(1);
    await expect.poll(() => services.controls.get('ses_1')?.repeat).toBe(true);
    services.sessions.offerControl = offerControl;
    const again = await openHeldCall(app.port, { ...beat, holdSeconds: 10 });
    stops.push(again.close);
    await expect.poll(() => again.received()).toMatch(/"control":"stop",.*"repeat":true/);
    await expect.poll(() => services.controls.has('ses_1')).toBe(false);
  });

  test('the next call of the session waits until the acknowledgement is recorded', async () => {
    const { services, app } = await start();
    const order: string[] = [];
    const recording = Promise.withResolvers<void>();
    services.actions.set('ses_1', { kind: 'exit', reason: 'replaced' });
    services.receipts.written = async () => {
      order.push('subject');
      await recording.promise;
      order.push('told');
    };
    const { nextActions } = services.sessions;
    const first = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 0 });
    await expect.poll(() => order).toEqual(['subject']);
    services.sessions.nextActions = async (ids) => {
      order.push('asked');
      return nextActions(ids);
    };
    const second = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 0 });
    stops.push(first.close, second.close);
    recording.resolve();
    await expect.poll(() => order).toContain('asked');
    expect(order.slice(0, 3)).toEqual(['subject', 'told', 'asked']);
  });

  test('a session that has ended learns how it ended, and nothing else', async () => {
    const { services, app } = await start();
    services.ended.add('ses_1');
    services.actions.set('ses_1', { kind: 'exit', reason: 'replaced' });
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    expect((await client.call('get_next_action')).structured).toMatchObject({
      action: 'exit',
      state: 'ended',
    });
    expect(services.offered).toEqual([]);
    expect((await client.call('logout')).structured).toMatchObject({ success: true });
    expect(JSON.parse((await client.call('list_tasks')).text).error.code).toBe('unauthenticated');
  });

  test('while the database is away held calls continue to wait, and new ones are told to retry', async () => {
    const { services, app, held, wake } = await start({
      logger: createLogger('mcp-server', { level: 'silent' }),
    });
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    const other = await connectClient('sdk 1.32', app.mcpUrl, 'ses_2');
    stops.push(client.close, other.close);
    const call = client.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    services.failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    app.tools.onKeys(['*']);
    const reply = await other.call('get_next_action', { hold_seconds: 25 });
    expect(reply.isError).toBe(true);
    expect(JSON.parse(reply.text).error).toMatchObject({
      code: 'unavailable',
      details: { retry_after_seconds: 1 },
    });
    services.failure = undefined;
    services.actions.set('ses_1', { kind: 'get_pending_messages', again: false });
    wake(1);
    expect((await call).structured).toMatchObject({ action: 'get_pending_messages' });
  });

  test('a call at another process ends the older call here', async () => {
    const { app, held } = await start();
    const call = await openHeldCall(app.port, { bearer: 'ses_1', holdSeconds: 25 });
    stops.push(call.close);
    await held(1);
    app.tools.onKeys([keys.newerCall('another-process', 'ses_1', Date.now() + 1)]);
    await expect.poll(() => call.received()).toContain('"superseded":true');
  });

  test('many open calls cost little, and a hint for one of them wakes it at once', async () => {
    const count = 300;
    const { services, app, held, wake } = await start();
    const calls = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        openHeldCall(app.port, { bearer: `ses_${n}`, holdSeconds: 25 }),
      ),
    );
    stops.push(() => {
      for (const call of calls) call.close();
    });
    await held(count);
    const readsBefore = services.reads;
    services.actions.set('ses_7', { kind: 'get_pending_messages', again: false });
    wake(7);
    await expect.poll(() => calls[7]?.received(), { interval: 1 }).toContain('get_pending_messages');
    expect(services.reads - readsBefore).toBe(1);
    expect(app.tools.heldCalls()).toBe(count - 1);
    // All calls check again: one query for all of them, and a read only for those with news.
    services.actions.set('ses_9', { kind: 'get_pending_messages', again: false });
    app.tools.onKeys(['*']);
    await expect.poll(() => calls[9]?.received(), { interval: 1 }).toContain('get_pending_messages');
    expect([services.polls, services.reads - readsBefore]).toEqual([1, 2]);
  });
});
