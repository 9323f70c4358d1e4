import { request as httpRequest } from 'node:http';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, describe, expect, test } from 'vitest';
import { CLIENT_KINDS, connectClient } from './testing/clients.ts';
import { FakeServices, message } from './testing/fake-services.ts';
import { nextConnectionClosed, sendCall } from './testing/raw-client.ts';
import { COORDINATOR_TOKEN, INTERNAL_TOKEN, startTestApp } from './testing/test-app.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(options: Parameters<typeof startTestApp>[1] = {}) {
  const services = new FakeServices();
  const app = await startTestApp(services, options);
  stops.push(app.stop);
  return { services, app };
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/** fetch sets Host and Origin by itself; here the test sets them. */
function send(
  port: number,
  options: { path?: string; method?: string; headers?: Record<string, string>; body?: string | Buffer },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        port,
        host: '127.0.0.1',
        path: options.path ?? '/mcp',
        method: options.method ?? 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...options.headers,
        },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString('utf8');
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

function errorOf(reply: { text: string }): { code: string; message: string; details?: unknown } {
  return JSON.parse(reply.text).error;
}

describe('the HTTP interface', () => {
  test.each([
    ['a name that is not ours', { Host: 'evil.example' }, 'host_not_allowed'],
    ['our name with another port', { Host: '127.0.0.1:1' }, 'host_not_allowed'],
    ['a foreign page', { Origin: 'https://evil.example' }, 'origin_not_allowed'],
    ['a page on another port of this host', { Origin: 'http://127.0.0.1:1' }, 'origin_not_allowed'],
    ['a page without origin', { Origin: 'null' }, 'origin_not_allowed'],
  ])('%s is refused', async (_what, headers, code) => {
    const { app } = await start();
    const reply = await send(app.port, { headers: { ...headers }, body: LIST_TOOLS });
    expect([reply.status, errorOf(reply).code]).toEqual([403, code]);
  });

  test('requests to its own origin, the public URL and the configured hosts are accepted', async () => {
    const server = { host: '127.0.0.1', port: 0, isLoopback: true, trustProxy: false };
    const { app } = await start({
      config: {
        server: { ...server, publicUrl: 'https://work.example', allowedHosts: ['other.example'] },
      },
    });
    const own = `http://localhost:${app.port}`;
    for (const headers of [
      { Origin: own },
      { Host: 'work.example', Origin: 'https://work.example' },
      { Host: 'other.example' },
    ])
      expect((await send(app.port, { headers: { ...headers }, body: LIST_TOOLS })).status).toBe(200);
  });

  test('a body above 1 MiB is refused, whether or not its length is announced', async () => {
    const { app } = await start();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', x: 'x'.repeat(2 ** 21) });
    const announced = await send(app.port, { body, headers: { 'Content-Length': String(body.length) } });
    const chunked = await send(app.port, { body, headers: { 'Transfer-Encoding': 'chunked' } });
    expect([announced.status, errorOf(announced).code]).toEqual([413, 'payload_too_large']);
    expect([chunked.status, errorOf(chunked).code]).toEqual([413, 'payload_too_large']);
  });

  test('a request that is not JSON, not JSON-RPC or not a POST is answered as the protocol requires', async () => {
    const { app } = await start();
    const broken = await send(app.port, { body: '{"jsonrpc":' });
    expect([broken.status, JSON.parse(broken.text).error.code]).toEqual([400, -32700]);
    const empty = await send(app.port, {});
    expect([empty.status, JSON.parse(empty.text).error.code]).toEqual([400, -32700]);
    const foreign = await send(app.port, { body: '{"a":1}' });
    expect([foreign.status, JSON.parse(foreign.text).error.code]).toEqual([400, -32600]);
    for (const method of ['GET', 'DELETE']) {
      const reply = await send(app.port, { method });
      expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([405, -32000]);
    }
    expect(
      (await send(app.port, { body: LIST_TOOLS, headers: { 'Content-Type': 'text/plain' } })).status,
    ).toBe(415);
    expect((await send(app.port, { body: LIST_TOOLS, headers: { Accept: 'application/json' } })).status).toBe(
      406,
    );
  });

  test('a body that is nested too deep or is not UTF-8 is the caller’s error', async () => {
    const { app } = await start();
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const nested = `${open.repeat(50_000)}1${close.repeat(50_000)}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${nested}}}`;
      const reply = await send(app.port, { body });
      expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([400, -32700]);
    }
    const latin = await send(app.port, { body: Buffer.from('{"jsonrpc":"2.0","id":"\xe9"}', 'latin1') });
    expect([latin.status, errorOf(latin).code]).toEqual([400, 'invalid_input']);
  });

  test('several calls in one body, as the oldest clients send them, are all answered', async () => {
    const { app } = await start();
    const call = (id: number, name: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: {} },
    });
    const body = JSON.stringify([call(1, 'get_next_action'), call(2, 'list_tasks')]);
    const reply = await send(app.port, { body, headers: { Authorization: 'Bearer ses_1' } });
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('"action":"wait_for_messages"');
    expect(reply.text).toContain('"next_cursor":null');
  });

  const batchOf = (count: number, message: (id: number) => object) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, ...message(id) })));

  test('more than twenty messages in one body are refused with one error of the protocol', async () => {
    const { app } = await start();
    const list = () => ({ method: 'tools/list' });
    const most = await send(app.port, { body: batchOf(20, list) });
    expect([most.status, most.text.split('"inputSchema"').length > 20]).toEqual([200, true]);
    const more = await send(app.port, { body: batchOf(21, list) });
    expect([more.status, JSON.parse(more.text)]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('20') } },
    ]);
  });

  test('each message that runs no tool is counted for its session, or without a session for its address', async () => {
    const { app } = await start({ config: { rateLimitPerMinute: 25 } });
    const list = () => ({ method: 'tools/list' });
    const other = () => ({ method: 'no/such' });
    const as = (bearer: string) => ({ headers: { Authorization: `Bearer ${bearer}` } });
    expect((await send(app.port, { body: batchOf(20, list) })).status).toBe(200);
    const refused = await send(app.port, { body: batchOf(20, other) });
    expect([refused.status, errorOf(refused).code, Number(refused.headers['retry-after']) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
    // An unknown bearer does not avoid the limit; a session has its own count, a Coordinator has none.
    expect((await send(app.port, { ...as('nobody'), body: batchOf(20, list) })).status).toBe(429);
    expect((await send(app.port, { ...as('ses_1'), body: batchOf(20, list) })).status).toBe(200);
    expect((await send(app.port, { ...as('ses_1'), body: batchOf(20, list) })).status).toBe(429);
    for (let i = 0; i < 2; i += 1)
      expect((await send(app.port, { ...as(COORDINATOR_TOKEN), body: batchOf(20, list) })).status).toBe(200);
  });

  test('each call of a tool in a batch counts for its session, and each wrong bearer for the address', async () => {
    const { app } = await start({ config: { rateLimitPerMinute: 10 } });
    const call = (args: object) => () => ({
      method: 'tools/call',
      params: { name: 'get_my_profile', arguments: args },
    });
    const refusals = ({ text }: Reply) => text.split('rate_limited').length - 1;
    const headers = { Authorization: 'Bearer ses_1' };
    const known = await send(app.port, { headers, body: batchOf(20, call({})) });
    // The text of a tool's error, without structured content.
    expect([known.status, refusals(known)]).toEqual([200, 10]);
    let wrong = 0;
    const beganAt = performance.now();
    for (let i = 0; i < 4; i += 1)
      wrong += refusals(await send(app.port, { body: batchOf(20, call({ session_token: 'nobody' })) }));
    // One more is let through for each second.
    const seconds = Math.floor((performance.now() - beganAt) / 1_000);
    expect(wrong).toBeLessThanOrEqual(20);
    expect(wrong).toBeGreaterThanOrEqual(20 - seconds - 1);
  });

  test('a batch ends when one of its calls has a large answer', async () => {
    const { app } = await start();
    const body = batchOf(8, () => ({ method: 'tools/call', params: { name: 'get_pending_messages' } }));
    const reply = await send(app.port, { body, headers: { Authorization: 'Bearer ses_1' } });
    expect(reply.status).toBe(200);
    expect(reply.text.split('rate_limited').length - 1).toBe(7);
    expect(reply.text.split('structuredContent').length - 1).toBe(1);
  });

  test('health, readiness and metrics', async () => {
    const { app } = await start();
    const get = (path: string, headers: Record<string, string> = {}) =>
      send(app.port, { path, method: 'GET', headers });
    expect(JSON.parse((await get('/healthz')).text)).toMatchObject({ status: 'ok', service: 'mcp-server' });
    expect(JSON.parse((await get('/readyz')).text)).toEqual({ status: 'ready' });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_tasks' },
    });
    await send(app.port, { body });
    const metrics = (await get('/metrics')).text;
    expect(metrics).toContain('aizuchi_mcp_held_calls 0');
    expect(metrics).toContain('aizuchi_sweep_skipped_total{step="idle"} 2');
    expect(metrics).toContain('aizuchi_mcp_tool_seconds_count{tool="list_tasks",outcome="error"} 1');
    // Through a proxy the client has another address.
    const proxied = { 'X-Forwarded-For': '203.0.113.7' };
    expect((await get('/metrics', proxied)).status).toBe(401);
    expect((await get('/metrics', { ...proxied, Authorization: `Bearer ${INTERNAL_TOKEN}` })).status).toBe(
      200,
    );
    const missing = await get('/nothing');
    expect([missing.status, errorOf(missing).code]).toEqual([404, 'not_found']);
  });
});

describe.each(CLIENT_KINDS)('errors of tools, %s', (kind) => {
  async function call(app: { mcpUrl: string }, bearer: string | undefined, tool: string, args = {}) {
    const client = await connectClient(kind, app.mcpUrl, bearer);
    stops.push(client.close);
    return client.call(tool, args);
  }

  test.each([
    ['no credential', undefined, 'list_tasks', {}, 'unauthenticated'],
    ['no credential on a held call', undefined, 'get_next_action', { hold_seconds: 25 }, 'unauthenticated'],
    ['an unknown token', 'nobody', 'list_tasks', {}, 'unauthenticated'],
    ['an unknown token before wrong arguments', 'nobody', 'list_tasks', { nope: 1 }, 'unauthenticated'],
    ["a session's token on a Coordinator's tool", 'ses_1', 'health_check', {}, 'unauthenticated'],
    ["the Coordinator's token on an agent's tool", COORDINATOR_TOKEN, 'list_tasks', {}, 'unauthenticated'],
    ['an unknown key', 'ses_1', 'list_tasks', { nope: 1 }, 'invalid_input'],
    ['an unknown key on a held call', 'ses_1', 'get_next_action', { nope: 1 }, 'invalid_input'],
    ['a wrong type', 'ses_1', 'list_tasks', { limit: 'many' }, 'invalid_input'],
    ['too long a hold', 'ses_1', 'get_next_action', { hold_seconds: 26 }, 'invalid_input'],
    [
      'two different targets',
      'ses_1',
      'respond_chat',
      { content: 'x', to: 'a1', target: 'b1' },
      'invalid_input',
    ],
    ['no target', 'ses_1', 'send_message', { content: 'x' }, 'target_required'],
    [
      'a refusal of a service',
      COORDINATOR_TOKEN,
      'report_process_started',
      { run_id: 'r', coordinator_id: 'c', host: 'h', boot_id: 'b', pid: 1, start_ticks: 1 },
      'run_lost',
    ],
  ])('%s', async (_what, bearer, tool, args, code) => {
    const { app } = await start();
    const reply = await call(app, bearer, tool, args);
    expect([reply.isError, errorOf(reply).code, reply.structured]).toEqual([true, code, undefined]);
    expect(errorOf(reply).message.length).toBeGreaterThan(5);
  });

  test('an internal error is logged once and its details are not sent', async () => {
    const lines: string[] = [];
    const logger = createLogger('mcp-server', {
      level: 'info',
      destination: { write: (line) => lines.push(line) },
    });
    const { app } = await start({ logger });
    const reply = await call(app, 'ses_1', 'send_message', { content: 'x', to: 'user' });
    expect(errorOf(reply).code).toBe('internal');
    expect(reply.text).not.toContain('secret');
    expect(lines.filter((line) => line.includes('secret of the server'))).toHaveLength(1);
  });

  test('a tool that does not exist is an error of the protocol', async () => {
    const { app } = await start();
    await expect(call(app, 'ses_1', 'no_such_tool')).rejects.toThrow(/not found/);
  });

  test('when one session makes too many calls they are refused with the time to wait; its held calls are not', async () => {
    const { app } = await start({ config: { rateLimitPerMinute: 2 } });
    const client = await connectClient(kind, app.mcpUrl, 'ses_1');
    stops.push(client.close);
    await client.call('list_tasks');
    await client.call('list_tasks');
    // Of which a busy machine has spent some.
    const isWithinHalfMinute = (seconds: number) => seconds > 0 && seconds <= 30;
    expect(errorOf(await client.call('list_tasks'))).toMatchObject({
      code: 'rate_limited',
      details: { retry_after_seconds: expect.toSatisfy(isWithinHalfMinute) },
    });
    expect((await client.call('get_next_action')).isError).toBe(false);
  });
});

describe('results of tools', () => {
  test('a refused sign-in is a normal result that says exit; a successful one says what to do next', async () => {
    const { app } = await start({ config: { locale: 'en' } });
    const client = await connectClient('sdk 1.32', app.mcpUrl);
    stops.push(client.close);
    const refused = await client.call('authenticate', { agent_id: 'a', passkey: 'wrong', project_id: 'p' });
    expect([refused.isError, refused.structured]).toEqual([
      false,
      {
        success: false,
        action: 'exit',
        error: 'Sign-in refused.',
        instruction: expect.stringContaining('end your process'),
      },
    ]);
    const right = await client.call('authenticate', { agent_id: 'a', passkey: 'right', project_id: 'p' });
    expect(right.structured).toEqual({
      success: true,
      session_token: 'ses_1',
      purpose: 'chat',
      agent_name: 'Aiko',
      permission_policy: 'ask',
      context_since: '2026-01-01T00:00:00.000Z',
      instruction: 'Call get_next_action to learn what to do.',
    });
    expect((await client.call('list_tasks', { session_token: 'ses_1' })).isError).toBe(false);
  });

  test('a sign-in with invalid arguments is refused like any other', async () => {
    const { app } = await start({ config: { locale: 'en' } });
    const client = await connectClient('sdk 1.32', app.mcpUrl);
    stops.push(client.close);
    const right = { agent_id: 'a', passkey: 'right', project_id: 'p' };
    const wrong: Record<string, unknown>[] = [
      { agent_id: null },
      { passkey: 'x'.repeat(5_000) },
      { project_id: 7 },
      { agent_id: '' },
      { replace: 'yes' },
      { nope: 1 },
    ];
    for (const change of wrong) {
      const { isError, structured } = await client.call('authenticate', { ...right, ...change });
      expect([isError, structured], JSON.stringify(change).slice(0, 40)).toEqual([
        false,
        { success: false, action: 'exit', error: expect.any(String), instruction: expect.any(String) },
      ]);
    }
  });

  test('an agent that finds a live session is told to leave, or how to take its place: text and instruction agree', async () => {
    const { services, app } = await start({ config: { locale: 'en' } });
    services.sessions.authenticate = async () => ({
      success: false,
      code: 'session_exists',
      error: 'It lives.',
    });
    const client = await connectClient('sdk 1.32', app.mcpUrl);
    stops.push(client.close);
    const { structured } = await client.call('authenticate', { agent_id: 'a', passkey: 'right' });
    expect(structured).toMatchObject({ code: 'session_exists', action: 'exit' });
    expect(structured?.instruction).toMatch(/End your process.*replace: true/);
    expect(structured?.instruction).not.toContain('Do not try again');
  });

  test('messages come with the batch that an answer names; the way in which they arrive does not matter', async () => {
    const { services, app } = await start();
    services.pending = [{ ...message('msg_1'), redelivered: true, repeat: true }];
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    const reply = await client.call('get_pending_messages');
    expect(reply.structured).toMatchObject({
      batch_id: 'bat_1',
      source: { kind: 'chat' },
      pending_messages: [{ id: 'msg_1', senderId: 'user', redelivered: true, repeat: true }],
      repeat: true,
      instruction: expect.stringContaining('redelivered'),
    });
    expect(services.written).toEqual([]);
  });

  test('an offer carries a receipt, and a later call of any tool names it', async () => {
    const { services, app } = await start();
    services.actions.set('ses_1', { kind: 'question_resolved', toolUseId: 'toolu_1' });
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    const told = await client.call('get_next_action');
    expect(told.structured).toMatchObject({ action: 'question_resolved', receipt: expect.any(String) });
    await expect.poll(() => services.written).toEqual([told.structured?.receipt]);
    await client.call('list_tasks', { received: [told.structured?.receipt] });
    expect(services.received).toEqual([told.structured?.receipt]);
  });

  test('messages that are held unanswered are offered again, and an offer that was written counts', async () => {
    const { services, app } = await start();
    services.actions.set('ses_1', { kind: 'get_pending_messages', again: true });
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    const reply = await client.call('get_next_action', { hold_seconds: 25 });
    expect(reply.structured).toMatchObject({ action: 'get_pending_messages', repeat: true });
    await expect.poll(() => services.offeredAgain).toEqual(['ses_1']);
  });

  test('trap 14: an offer whose reader has left does not count', async () => {
    const { services, app } = await start();
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    services.sessions.nextActions = async (ids) => {
      asked.resolve();
      await goOn.promise;
      return new Map(ids.map((id) => [id, { kind: 'get_pending_messages', again: true } as const]));
    };
    const seenToClose = nextConnectionClosed(app.app.server);
    const call = sendCall(app.port, { bearer: 'ses_1', tool: 'get_next_action', args: {} });
    await asked.promise;
    call.close();
    await seenToClose;
    goOn.resolve();
    await expect.poll(() => app.tools.heldCalls()).toBe(0);
    await app.tools.ledger.drained();
    expect(services.offeredAgain).toEqual([]);
  });

  test('a slow sign-in delays no other call, and its headers are sent at once', async () => {
    const { services, app } = await start();
    const goOn = Promise.withResolvers<void>();
    const { authenticate } = services.sessions;
    services.sessions.authenticate = async (input) => {
      await goOn.promise;
      return authenticate(input);
    };
    const params = { name: 'authenticate', arguments: { agent_id: 'a', passkey: 'x', project_id: 'p' } };
    const response = await fetch(app.mcpUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const other = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(other.close);
    expect((await other.call('list_tasks')).isError).toBe(false);
    goOn.resolve();
    expect(await response.text()).toContain('"action":"exit"');
  });

  test('a partial answer that grows faster than the limit is not shown, and its agent is not ended', async () => {
    const { services, app } = await start();
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    const piece = { message_id: `msg_${'a'.repeat(20)}`, text: 'x'.repeat(100_000), offset: 0 };
    for (let count = 0; count < 14; count += 1)
      expect((await client.call('report_delta', piece)).structured).toEqual({ control: null });
    expect(services.grown.length).toBeGreaterThanOrEqual(10);
    expect(services.grown.length).toBeLessThan(14);
    expect(services.beats).toHaveLength(14);
  });

  test('steps that come faster than the limit are not kept, and the agent goes on', async () => {
    const { services, app } = await start();
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    const report = (id: string, detail = '') =>
      client.call('report_step', {
        message_id: `msg_${'a'.repeat(20)}`,
        step: { id, kind: 'command', title: 'npm test', status: 'running', detail },
      });
    expect((await report('s1')).structured).toEqual({ control: null, recorded: true });
    const diff = { path: 'a', before: 'x'.repeat(30_000), after: 'y'.repeat(30_000) };
    const step = { id: 's2', kind: 'edit', title: 'Edit', status: 'done', diff };
    const args = { message_id: `msg_${'a'.repeat(20)}`, step };
    const results = [];
    while (services.reported.length === results.length + 1 && results.length < 400)
      results.push((await client.call('report_step', args)).structured);
    expect(results.at(-1)).toEqual({ control: null, recorded: false, reason: 'too_fast' });
    // All steps of one answer may come at once.
    expect(services.reported.length).toBeGreaterThan(200);
    expect(
      errorOf(await client.call('report_step', { ...args, step: { ...step, kind: 'dance' } })).code,
    ).toBe('invalid_input');
  });

  test.each([
    ['negative', { input_tokens: -1 }],
    ['no whole number', { output_tokens: 1.5 }],
    ['too much', { input_tokens: 1e12 }],
    ['negative cost', { cost_usd: -0.01 }],
    ['a time that is a text', { duration_ms: '5' }],
    ['an unknown key', { tokens: 5 }],
  ])('usage that is wrong is refused: %s', async (_, wrong) => {
    const { app } = await start();
    const client = await connectClient('sdk 1.32', app.mcpUrl, 'ses_1');
    stops.push(client.close);
    const usage = { input_tokens: 1, output_tokens: 2, duration_ms: 3 };
    expect((await client.call('respond_chat', { content: 'ok', usage, model: 'm' })).isError).toBe(false);
    const reply = await client.call('respond_chat', { content: 'ok', usage: { ...usage, ...wrong } });
    expect(errorOf(reply).code).toBe('invalid_input');
  });

  test('help gives the overview, and the whole text of one tool', async () => {
    const { app } = await start();
    const client = await connectClient('sdk 1.32', app.mcpUrl);
    stops.push(client.close);
    const overview = await client.call('help');
    expect(overview.structured?.text).toContain('get_next_action');
    expect(overview.text).not.toContain('wait_for_agent_actions');
    expect((await client.call('help', { tool: 'respond_chat' })).text).toContain('done: false');
    expect(errorOf(await client.call('help', { tool: 'nope' })).code).toBe('invalid_input');
  });
});
