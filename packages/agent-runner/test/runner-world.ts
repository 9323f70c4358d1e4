import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { Launch } from '@aizuchi/shared/contract/launch';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { DeliveredPack } from '@aizuchi/shared/contract/tools/memory-tools';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { newId } from '@aizuchi/shared/platform/ids';
import type { ScriptedMcpServer, ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { serveSession, TICKET } from './scripted-session.ts';

export const AGENT_ID = 'agt_1';
const COMMON = { instruction: '', state: 'active' as const };

/** What the server says to do; a list of them is one session. */
export const ACTION = {
  messages: { action: 'get_pending_messages', ...COMMON },
  exit: { action: 'exit', reason: 'user_closed_chat', ...COMMON },
  resolved: (status: 'answered' | 'timeout' | 'cancelled', answers?: Record<string, string>): NextAction => ({
    action: 'question_resolved',
    tool_use_id: 'toolu_1',
    status,
    ...(answers ? { answers } : {}),
    ...COMMON,
  }),
  ended: (reason: string): NextAction => ({
    action: 'conversation_ended',
    conversation_id: 'conv_1',
    ended_by: 'agt_2',
    reason,
    unread_messages: [],
    ...COMMON,
  }),
  expired: {
    action: 'conversation_expired',
    conversation_id: 'conv_1',
    target: 'agt_2',
    undelivered: [],
    ...COMMON,
  },
} satisfies Record<string, NextAction | ((...args: never[]) => NextAction)>;

/** A message of the person; `more` makes it another agent's. */
export function message(id: string, content: string, more: Partial<Message> = {}): Message {
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
    ...more,
  };
}

export function batchOf(...messages: Message[]): PendingMessages {
  return {
    batch_id: 'bat_1',
    source: { kind: 'chat' },
    context_messages: [],
    pending_messages: messages,
    total_history_count: messages.length,
    context_truncated: false,
    instruction: '',
  };
}

interface Started {
  readonly exit: Promise<number | null>;
  readonly stderr: () => string;
}

/** The bundle that a Coordinator starts, against a server whose tools are a script. */
export class RunnerWorld {
  readonly #folder: string;
  readonly #bundle: string;
  #server: ScriptedMcpServer | undefined;
  #runner: ChildProcess | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#bundle = join(folder, 'runner.mjs');
  }

  static async make(): Promise<RunnerWorld> {
    const world = new RunnerWorld(await mkdtemp(join(tmpdir(), 'aizuchi-runner-')));
    const script = fileURLToPath(new URL('../bundle.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [script, world.#folder]);
    return world;
  }

  get server(): ScriptedMcpServer {
    if (!this.#server) throw new Error('serve() comes first');
    return this.#server;
  }

  /** A server whose session gets these actions in turn, then waits until the test ends. */
  async serve(actions: readonly NextAction[], script: ToolScript = {}): Promise<ScriptedMcpServer> {
    const pending = () => batchOf(message('msg_1', 'How are the tasks going?'));
    this.#server = await serveSession(actions, pending, script);
    return this.#server;
  }

  /** A runner that has its launch line. */
  start(): Started {
    const { launch, ...runner } = this.startSpare();
    launch();
    return runner;
  }

  /** A runner that waits for `launch`. */
  startSpare(): Started & { launch: () => void } {
    const line: Launch = {
      runId: newId('run'),
      agentId: AGENT_ID,
      projectId: 'prj_1',
      purpose: 'chat',
      provider: 'builtin',
      ticket: TICKET,
    };
    // Of its own: whoever ends a run ends every process of this machine that carries its id.
    const child = spawn(process.execPath, [this.#bundle, 'builtin'], {
      env: { AIZUCHI_MCP_URL: this.server.url, AIZUCHI_RUN_ID: line.runId },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.#runner = child;
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    return {
      exit: once(child, 'close').then(() => child.exitCode),
      stderr: () => stderr,
      launch: () => child.stdin.end(`${JSON.stringify(line)}\n`),
    };
  }

  /** The contents of every file that the build has made. */
  async built(): Promise<Map<string, string>> {
    const names = await readdir(this.#folder);
    const texts = names.map((name) => readFile(join(this.#folder, name), 'utf8'));
    return new Map((await Promise.all(texts)).map((text, index) => [names[index] ?? '', text]));
  }

  async reset(): Promise<void> {
    const runner = this.#runner;
    if (runner && runner.exitCode === null && runner.signalCode === null) {
      const ended = once(runner, 'exit');
      runner.kill('SIGKILL');
      await ended;
    }
    await this.#server?.close();
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What memory holds about a message. */
export const PACK: DeliveredPack = {
  run_id: 'ret_1',
  selected: [
    {
      type: 'event',
      event_id: 'evt_1',
      state_id: null,
      affect_id: null,
      why: 'words',
      snippet: 'My cat is Momo.',
      said_by: 'Owner',
      created_at: '2026-05-03T01:00:00.000Z',
      local_time: '2026-05-03 10:00',
    },
  ],
};
