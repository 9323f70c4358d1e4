import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import {
  ScriptedMcpServer,
  ScriptedRefusal,
  type ToolScript,
} from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const TICKET = 'ticket-1234567890-abcdefghij';
const COMMON = { instruction: '', state: 'active' as const };
const HAS_MESSAGES: NextAction = { action: 'get_pending_messages', ...COMMON };
const EXIT: NextAction = { action: 'exit', reason: 'user_closed_chat', ...COMMON };

let folder = '';
let bundle = '';
let server: ScriptedMcpServer;
let runner: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-runner-'));
  bundle = join(folder, 'runner.mjs');
  const script = fileURLToPath(new URL('../bundle.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script, bundle]);
});

afterEach(async () => {
  if (runner && runner.exitCode === null && runner.signalCode === null) {
    const ended = once(runner, 'exit');
    runner.kill('SIGKILL');
    await ended;
  }
  await server.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function message(id: string, content: string): Message {
  return {
    id,
    projectId: 'prj_1',
    senderId: 'user',
    senderName: 'Owner',
    sender: 'user',
    content,
    createdAt: '2026-01-01T00:00:00.000Z',
    visible: true,
    state: 'delivered',
    seq: 1,
  };
}

function batchOf(...messages: Message[]): PendingMessages {
  return {
    source: { kind: 'chat' },
    context_messages: [],
    pending_messages: messages,
    total_history_count: messages.length,
    context_truncated: false,
    instruction: '',
  };
}

/** A server whose session gets these actions in turn, then waits until the test ends. */
async function serve(actions: NextAction[], script: ToolScript = {}): Promise<void> {
  const queue = [...actions];
  server = await new ScriptedMcpServer({
    authenticate: () => ({ success: true, purpose: 'chat', agent_name: 'Aiko', instruction: '' }),
    get_next_action: () => queue.shift() ?? new Promise(() => undefined),
    get_pending_messages: () => batchOf(message('msg_1', 'How are the tasks going?')),
    list_tasks: () => ({
      tasks: [],
      counts: { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
      next_cursor: null,
    }),
    respond_chat: () => ({ success: true, answered_count: 1, instruction: '' }),
    heartbeat: () => ({ control: null }),
    logout: () => ({ success: true, instruction: '' }),
    ...script,
  }).start();
}

function start(): { exit: Promise<number | null>; stderr: () => string } {
  const child = spawn(process.execPath, [bundle, 'builtin'], {
    env: { AIZUCHI_MCP_URL: server.url, AIZUCHI_RUN_ID: 'run_1' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  runner = child;
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.end(`${TICKET}\n`);
  return { exit: once(child, 'close').then(() => child.exitCode), stderr: () => stderr };
}

test('it signs in with the ticket, answers from the board, and leaves when told', async () => {
  await serve([HAS_MESSAGES, EXIT]);
  const { exit, stderr } = start();
  expect(await exit).toBe(0);
  expect(server.calls.map((call) => call.tool)).toEqual([
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

test('a refused sign-in ends it with one line and a code of its own', async () => {
  await serve([], { authenticate: () => ({ success: false, action: 'exit', error: 'sign-in failed' }) });
  const { exit, stderr } = start();
  expect(await exit).toBe(3);
  expect(stderr().trim().split('\n')).toHaveLength(1);
  expect(stderr()).toContain('sign-in failed');
});

test('a server that is killed and comes back finds the same session asking again', async () => {
  const actions: NextAction[] = [];
  await serve([], {
    get_next_action: () => actions.shift() ?? new Promise(() => undefined),
  });
  const { exit } = start();
  await server.waitForCall('get_next_action');
  await server.crash();
  actions.push(HAS_MESSAGES, EXIT);
  await server.start();
  expect(await exit).toBe(0);
  expect(server.callsOf('authenticate')).toHaveLength(1);
  expect(server.callsOf('respond_chat')).toHaveLength(1);
});

test('an answer whose acceptance was lost is sent again under the same key', async () => {
  let cut = true;
  await serve([HAS_MESSAGES, EXIT], {
    respond_chat: async () => {
      if (cut) {
        cut = false;
        await server.crash();
        await server.start();
      }
      return { success: true, answered_count: 1, instruction: '' };
    },
  });
  const { exit } = start();
  expect(await exit).toBe(0);
  const answers = server.callsOf('respond_chat');
  expect(answers).toHaveLength(2);
  expect(answers[1]?.args).toEqual(answers[0]?.args);
  expect(answers[0]?.args.idempotency_key).toBe('answer:1:msg_1:msg_1');
});

test('during a long answer it beats; an interrupt ends the answer, and the loop goes on', async () => {
  await serve([HAS_MESSAGES, EXIT], {
    list_tasks: () => new Promise(() => undefined),
    heartbeat: () => ({ control: 'interrupt' }),
  });
  const { exit } = start();
  expect(await exit).toBe(0);
  expect(server.callsOf('heartbeat')).toHaveLength(1);
  expect(server.callsOf('respond_chat')[0]?.args).not.toHaveProperty('content');
});

test('stop during an answer: no answer, logout, the end', async () => {
  await serve([HAS_MESSAGES], {
    list_tasks: () => new Promise(() => undefined),
    heartbeat: () => ({ control: 'stop' }),
  });
  const { exit } = start();
  expect(await exit).toBe(0);
  expect(server.callsOf('respond_chat')).toHaveLength(0);
  expect(server.callsOf('logout')).toHaveLength(1);
});

test('a driver that fails says so to the person instead of leaving the message open', async () => {
  await serve([HAS_MESSAGES, EXIT], {
    list_tasks: () => {
      throw new ScriptedRefusal('forbidden');
    },
  });
  const { exit, stderr } = start();
  expect(await exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toContain('something went wrong');
  expect(stderr()).toContain('no answer');
});

test('it plays shiritori with a person: the opening, then a word that goes on from theirs', async () => {
  const texts = ['しりとりしよう', 'ごりら'];
  let said = 0;
  await serve([HAS_MESSAGES, HAS_MESSAGES, EXIT], {
    get_pending_messages: () => {
      said += 1;
      return batchOf({ ...message(`msg_${said * 2}`, texts[said - 1] ?? ''), seq: said * 2 });
    },
  });
  const { exit } = start();
  expect(await exit).toBe(0);
  const [opening, answer] = server.callsOf('respond_chat').map((call) => String(call.args.content));
  expect(opening).toContain('「りんご」');
  expect(answer).toMatch(/^「ら[ぁ-ゖー]+」\n次は「.」から始まる言葉をどうぞ。$/);
});
