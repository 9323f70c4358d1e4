import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { DriverSession, Turn } from '../../packages/agent-runner/src/driver.ts';
import { AcpDriver } from '../../packages/agent-runner/src/drivers/acp/acp-driver.ts';
import { LIMITS } from '../../packages/agent-runner/src/drivers/acp/session/agent-connection.ts';
import type { FoundModel } from '../../packages/agent-runner/src/session/report-models.ts';
import type { TurnEvent } from '../../packages/agent-runner/src/turn-events.ts';
import { message } from '../../packages/agent-runner/test/runner-world.ts';
import { McpWorld, type RunningServer } from '../../packages/mcp-server/src/testing/mcp-world.ts';
import {
  type FakeGemini,
  type GeminiReply,
  type GeminiRequest,
  startFakeGemini,
} from '../fixtures/fake-gemini.ts';
import { GEMINI, makeGeminiHome } from '../fixtures/gemini-program.ts';

/*
 * What the driver knows about the real Gemini CLI, and what would take minutes in a product; the rest is in
 * tests/e2e/acp. The program runs through the driver, with our real MCP server, and a scripted model on loopback. Its
 * clock is ahead of ours by what a test says, and it reaches no other host.
 */

const CLOCK = new URL('../fixtures/guest-clock.mjs', import.meta.url).href;
const MINUTE = 60_000;

// It takes three seconds to start, and much longer on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let world: McpWorld;
let server: RunningServer;
let api: FakeGemini;
let folder: string;
let token: string;
let session: DriverSession;
const logged: string[] = [];
const remembered: string[] = [];
const models: FoundModel[] = [];

/** What the model does is written in the message: `text: …`, or `call: {"name", "args"}`, then it says the result. */
function model({ text, results, history }: GeminiRequest): GeminiReply {
  const [result] = results;
  if (result) return { parts: [{ text: `Result: ${JSON.stringify(result.response)}` }] };
  if (text.includes('limited')) return { status: 429 };
  const call = /call: (\{.*\})/.exec(text)?.[1];
  if (call)
    return {
      parts: [{ thought: '**Plan**\nUse a tool.' }, { text: 'I use it.' }, { call: JSON.parse(call) }],
    };
  if (text.includes('Tell me what was said')) return { parts: [{ text: `Said: ${history}` }] };
  return { parts: [{ text: `Heard: ${text.slice(-40)}` }] };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-gemini-'));
  await makeGeminiHome(folder);
  api = await startFakeGemini(model);
  world = await McpWorld.create();
  server = await world.startServer();
  const membership = await world.services.agentInProject({ name: 'Gemini' });
  ({ ticket: token } = await world.services.warmAgent(membership));
  session = await open();
});
afterAll(async () => {
  await session.close();
  await api.close();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(options: { resume?: string; aheadMs?: number } = {}): Promise<DriverSession> {
  const { resume, aheadMs = 0 } = options;
  const driver = new AcpDriver(
    {
      file: process.execPath,
      args: [GEMINI, '--acp'],
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        GEMINI_API_KEY: 'fake',
        GOOGLE_GEMINI_BASE_URL: api.url,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        NODE_OPTIONS: `--import=${CLOCK}`,
        TEST_CLOCK_AHEAD_MS: String(aheadMs),
        TEST_TRAFFIC_FILE: join(folder, 'traffic'),
        TEST_PID_FILE: join(folder, 'pid'),
      },
    },
    { limits: LIMITS, now: () => Date.now() + aheadMs },
  );
  return driver.open({
    agentId: 'agt_1',
    agentName: 'Gemini',
    systemPrompt: 'Be brief.',
    mcp: { url: server.mcpUrl, token },
    tools: { call: () => expect.unreachable() },
    log: (sentence) => void logged.push(sentence),
    hide: (text) => text,
    remember: async (saved) => void remembered.push(saved),
    reportModels: (found) => void models.push(...found),
    reportUsage: async () => undefined,
    ...(resume !== undefined && { resume }),
  });
}

/** One turn in which nobody is asked. */
async function turn(content: string, context: Turn['context'] = []) {
  const events: TurnEvent[] = [];
  const asked: Turn = {
    agentId: 'agt_1',
    agentName: 'Gemini',
    source: { kind: 'chat' },
    messages: [message('msg_1', content)],
    context,
    signal: new AbortController().signal,
    tools: { call: () => expect.unreachable() },
    ask: () => expect.unreachable(),
    approve: () => expect.unreachable(),
  };
  for await (const event of session.run(asked)) events.push(event);
  const steps = new Map(
    events.flatMap((event) => (event.type === 'step' ? [[event.step.id, event.step]] : [])),
  );
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  return { events, text, steps: [...steps.values()], end: events.at(-1) };
}

test('it answers in pieces; its model has the tools of a model, and not those of the runner', async () => {
  const { events, text, end } = await turn('Hello, this is a first message of some length');
  expect(text).toMatch(/^Heard: .*a first message of some length$/);
  expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
  expect(events).toContainEqual({ type: 'usage', usage: expect.objectContaining({ inputTokens: 100 }) });
  expect(end).toEqual({ type: 'end', reason: 'done' });
  expect(models.map(({ id }) => id)).toContain('gemini-2.5-pro');
  const [request] = api.requests;
  expect(request?.text).toMatch(/You are Gemini,[\s\S]*Be brief\./);
  const ours = request?.tools.filter((name) => name.includes('aizuchi'));
  expect(ours).toContain('mcp_aizuchi_list_tasks');
  expect(ours?.join(' ')).not.toMatch(/authenticate|get_next_action|respond_chat|heartbeat/);
});

test('a tool of our server is used without a question', async () => {
  const { text, steps } = await turn('call: {"name":"mcp_aizuchi_list_tasks","args":{}}');
  expect(text).toMatch(/^I use it\.\n\nResult: .*backlog/);
  expect(steps).toMatchObject([
    { kind: 'thought', detail: '**Plan**\nUse a tool.', status: 'done' },
    { title: 'Looked at the board', status: 'done' },
  ]);
});

test('a limit of the model, which it retries in silence for minutes, ends with a sentence', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const before = api.requests.length;
    const begun = turn('limited');
    await expect.poll(() => api.requests.length).toBeGreaterThan(before);
    vi.advanceTimersByTime(LIMITS.silentMs);
    const { end, steps } = await begun;
    expect(end).toMatchObject({ reason: 'failed', sentence: expect.stringMatching(/for 60 s/) });
    expect(steps).toMatchObject([{ title: expect.stringMatching(/No sign/) }]);
  } finally {
    vi.useRealTimers();
  }
});

/** Until the program keeps this text in a session: it writes with a delay. */
async function untilKept(text: string): Promise<void> {
  await expect
    .poll(async () => {
      const files = await readdir(folder, { recursive: true });
      const sessions = files.filter((name) => /chats\/session-[^/]*$/.test(name));
      return Promise.all(sessions.map((name) => readFile(join(folder, name), 'utf8')));
    })
    .toContainEqual(expect.stringContaining(text));
}

/** Kills the program. Returns what is remembered of the first session, and when the minute began in which it was made. */
async function killed(): Promise<{ resume: string; minute: number }> {
  process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')), 'SIGKILL');
  await session.close();
  const [resume = ''] = remembered;
  const { madeAt } = JSON.parse(resume) as { madeAt: number };
  return { resume, minute: Math.floor(madeAt / MINUTE) * MINUTE };
}

test('killed, and started in the minute in which its session was made: that one is left alone, a new one is told what was said', async () => {
  await turn('The secret word is plum.');
  await untilKept('The secret word is plum.');
  const { resume, minute } = await killed();
  session = await open({ resume, aheadMs: minute - Date.now() });
  await turn('And now?', [message('m0', 'The secret word is plum.', { senderName: 'Owner' })]);
  expect(api.requests.at(-1)?.text).toContain('<earlier>\nOwner: The secret word is plum.');
  expect(api.requests.at(-1)?.history).not.toContain('plum');
  expect(logged.join('\n')).toMatch(/is not loaded: the program would erase it/);
});

test('killed, and started in a later minute: it goes on where it stood, and nothing of that is shown again', async () => {
  const { resume, minute } = await killed();
  session = await open({ resume, aheadMs: minute + MINUTE - Date.now() });
  const { text, end } = await turn('Tell me what was said.');
  expect(end).toEqual({ type: 'end', reason: 'done' });
  expect(text).toMatch(/^Said: [\s\S]*The secret word is plum\./);
  expect(api.requests.at(-1)?.text).toBe('Tell me what was said.');
});

test('nothing else was reached', async () => {
  const traffic = await readFile(join(folder, 'traffic'), 'utf8').catch(() => '');
  expect(traffic).toBe('');
});
