import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ACTION, batchOf, message, RunnerWorld } from './runner-world.ts';
import { TICKET } from './scripted-session.ts';

let world: RunnerWorld;

beforeAll(async () => {
  world = await RunnerWorld.make();
});
afterEach(() => world.reset());
afterAll(() => world.close());

test('it signs in with the ticket, answers from the board, and leaves at exit', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit]);
  const { exit, stderr } = world.start();
  expect(await exit).toBe(0);
  // A turn that takes longer than a moment sends heartbeats beside its calls.
  expect(server.calls.map((call) => call.tool).filter((tool) => tool !== 'heartbeat')).toEqual([
    'authenticate',
    'get_next_action',
    'get_pending_messages',
    'list_tasks',
    'respond_chat',
    'get_next_action',
    'logout',
  ]);
  expect(server.calls.every((call) => call.bearer === TICKET)).toBe(true);
  expect(server.callsOf('respond_chat')[0]?.args.content).toBe('There are no tasks on the board yet.');
  expect(stderr()).not.toContain(TICKET);
});

test('a runner that waits for its launch is connected already, and calls nothing', async () => {
  const server = await world.serve([ACTION.exit]);
  const { exit, launch } = world.startSpare();
  await expect.poll(() => server.requestCount).toBeGreaterThan(0);
  expect(server.calls).toEqual([]);
  launch();
  expect(await exit).toBe(0);
  expect(server.callsOf('authenticate')).toHaveLength(1);
});

test('a refused sign-in ends it with one line and a code of its own', async () => {
  await world.serve([], {
    authenticate: () => ({ success: false, action: 'exit', error: 'sign-in failed' }),
  });
  const { exit, stderr } = world.start();
  expect(await exit).toBe(3);
  expect(stderr().trim().split('\n')).toHaveLength(1);
  expect(stderr()).toContain('sign-in failed');
});

test('after a server was killed and is back, the same session calls it again', async () => {
  const actions: NextAction[] = [];
  const server = await world.serve([], {
    get_next_action: () => actions.shift() ?? new Promise(() => undefined),
  });
  const { exit } = world.start();
  await server.waitForCall('get_next_action');
  await server.crash();
  actions.push(ACTION.messages, ACTION.exit);
  await server.start();
  expect(await exit).toBe(0);
  expect(server.callsOf('authenticate')).toHaveLength(1);
  expect(server.callsOf('respond_chat')).toHaveLength(1);
});

test('an answer whose acceptance was lost is sent again under the same key', async () => {
  let cut = true;
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    respond_chat: async () => {
      if (cut) {
        cut = false;
        await server.crash();
        await server.start();
      }
      return { success: true, answered_count: 1, instruction: '' };
    },
  });
  const { exit } = world.start();
  expect(await exit).toBe(0);
  const answers = server.callsOf('respond_chat');
  expect(answers).toHaveLength(2);
  expect(answers[1]?.args).toEqual(answers[0]?.args);
  expect(answers[0]?.args.idempotency_key).toBe('answer:bat_1:bat_1');
});

test('during a long answer it sends heartbeats; an interrupt ends the answer, and the loop continues', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    list_tasks: () => new Promise(() => undefined),
    heartbeat: () => ({ control: 'interrupt' }),
  });
  const { exit } = world.start();
  expect(await exit).toBe(0);
  expect(server.callsOf('heartbeat')).toHaveLength(1);
  expect(server.callsOf('respond_chat')[0]?.args).not.toHaveProperty('content');
});

test('stop during an answer: no answer, logout, the end', async () => {
  const server = await world.serve([ACTION.messages], {
    list_tasks: () => new Promise(() => undefined),
    heartbeat: () => ({ control: 'stop' }),
  });
  const { exit } = world.start();
  expect(await exit).toBe(0);
  expect(server.callsOf('respond_chat')).toHaveLength(0);
  expect(server.callsOf('logout')).toHaveLength(1);
});

test('a driver that fails says so to the person instead of leaving the message open', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    list_tasks: () => {
      throw new ScriptedRefusal('forbidden');
    },
  });
  const { exit, stderr } = world.start();
  expect(await exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.failure).toContain('something went wrong');
  expect(stderr()).toContain('no answer');
});

test('it plays shiritori with a person: the opening, then a word that goes on from theirs', async () => {
  const texts = ['しりとりしよう', 'ごりら'];
  let said = 0;
  const server = await world.serve([ACTION.messages, ACTION.messages, ACTION.exit], {
    get_pending_messages: () => {
      said += 1;
      return batchOf({ ...message(`msg_${said * 2}`, texts[said - 1] ?? ''), seq: said * 2 });
    },
  });
  const { exit } = world.start();
  expect(await exit).toBe(0);
  const [opening, answer] = server.callsOf('respond_chat').map((call) => String(call.args.content));
  expect(opening).toContain('「りんご」');
  expect(answer).toMatch(/^「ら[ぁ-ゖー]+」\n次は「.」から始まる言葉をどうぞ。$/);
});

test('an answer beyond the quota ends its turn: it is not tried again, and the next action is asked for', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    respond_chat: () => {
      throw new ScriptedRefusal('quota_reached');
    },
  });
  const { exit, stderr } = world.start();
  expect(await exit).toBe(0);
  expect(server.callsOf('respond_chat')).toHaveLength(1);
  expect(server.callsOf('get_next_action')).toHaveLength(2);
  expect(stderr()).toContain('quota_reached');
});

test('what is built holds nothing of the Claude Agent SDK, whose licence does not let us pass it on', async () => {
  // A variable that the SDK sets for its process.
  const itsOwn = 'CLAUDE_AGENT_SDK_VERSION';
  const sdk = fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk/core'));
  expect(await readFile(sdk, 'utf8')).toContain(itsOwn);
  const files = [...(await world.built())];
  expect(files.filter(([, text]) => text.includes(itsOwn)).map(([name]) => name)).toEqual([]);
  expect(files.filter(([, text]) => text.includes('./claude-agent-sdk.mjs')).map(([name]) => name)).toEqual([
    expect.stringMatching(/^runner-claude-driver-/),
  ]);
});
