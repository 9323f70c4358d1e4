import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { hiderOf } from '@aizuchi/shared/platform/secret-values';
import { ScriptedMcpServer, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ClaudeAction } from '../../../tests/fixtures/agents/claude-program.ts';
import type { DriverSession, SessionOptions, Turn } from '../src/driver.ts';
import { ClaudeDriver } from '../src/drivers/claude/claude-driver.ts';
import type { TurnEvent, Usage } from '../src/turn-events.ts';
import { AGENT_ID, message } from './runner-world.ts';
import { TICKET } from './scripted-session.ts';

const PROGRAM = fileURLToPath(new URL('../../../tests/fixtures/agents/claude-program.ts', import.meta.url));
const recordSchema = z.object({ what: z.string(), value: z.unknown() });

/** The conversation that a test ends; this agent has begun it. */
export const CONVERSATION: Conversation = {
  id: 'conv_1',
  projectId: 'prj_1',
  initiatorAgentId: AGENT_ID,
  participantAgentId: 'agt_2',
  state: 'ended',
  purpose: 'the release',
  messageCount: 2,
  maxMessages: 2,
  chainId: 'conv_1',
  createdAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:01:00.000Z',
  endedBy: null,
  endReason: 'max_messages',
  finalMessage: null,
};

/** The driver of Claude Code with a program that only speaks its protocol. The real one: tests/e2e/claude. */
export class ScriptedClaudeWorld {
  readonly folder: string;
  readonly server: ScriptedMcpServer;
  readonly logged: string[] = [];
  readonly spent: Usage[] = [];
  readonly #sessions: DriverSession[] = [];

  private constructor(folder: string, server: ScriptedMcpServer) {
    this.folder = folder;
    this.server = server;
  }

  static async make(): Promise<ScriptedClaudeWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'aizuchi-scripted-claude-'));
    const claude = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' '${folder}' "$@"\n`;
    await writeFile(join(folder, 'claude'), claude);
    await chmod(join(folder, 'claude'), 0o755);
    return new ScriptedClaudeWorld(folder, await new ScriptedMcpServer(serverScript()).start());
  }

  /** As the runner opens it. */
  async open({
    cwd = this.folder,
    ...more
  }: Partial<SessionOptions> & { readonly cwd?: string } = {}): Promise<DriverSession> {
    const driver = new ClaudeDriver({
      executable: join(this.folder, 'claude'),
      cwd,
      env: { PATH: process.env.PATH, HOME: this.folder },
    });
    const session = await driver.open({
      agentId: AGENT_ID,
      agentName: 'Aiko',
      mcp: { url: this.server.url, token: TICKET },
      tools: this.#tools,
      log: (sentence) => void this.logged.push(sentence),
      hide: hiderOf([TICKET]),
      remember: async () => undefined,
      reportUsage: async (usage) => void this.spent.push(usage),
      reportModels: () => undefined,
      ...more,
    });
    this.#sessions.push(session);
    return session;
  }

  turn(said: string | readonly ClaudeAction[], more: Partial<Turn> = {}): Turn {
    return {
      agentId: AGENT_ID,
      agentName: 'Aiko',
      source: { kind: 'chat' },
      messages: [message(`msg_${crypto.randomUUID()}`, typeof said === 'string' ? said : scriptOf(said))],
      context: [],
      tools: this.#tools,
      signal: new AbortController().signal,
      ask: async () => ({ status: 'unavailable', answers: {} }),
      approve: async () => ({ decision: 'unavailable' }),
      ...more,
    };
  }

  /** Runs a turn to its end. */
  async play(session: DriverSession, turn: Turn): Promise<{ answer: string; events: TurnEvent[] }> {
    const events: TurnEvent[] = [];
    for await (const event of session.run(turn)) events.push(event);
    return { answer: answerOf(events), events };
  }

  /** What the program was given, in all its processes. */
  async given(what: 'start' | 'user' | 'control' | 'hanging' | 'left'): Promise<unknown[]> {
    const text = await readFile(join(this.folder, 'claude.jsonl'), 'utf8').catch(() => '');
    const records = text.split('\n').filter(Boolean);
    return records
      .map((line) => recordSchema.parse(JSON.parse(line)))
      .flatMap((record) => (record.what === what ? [record.value] : []));
  }

  async untilHanging(): Promise<void> {
    await expect.poll(() => this.given('hanging')).not.toEqual([]);
  }

  get #tools(): SessionOptions['tools'] {
    const client = new ToolClient({ url: this.server.url, token: TICKET, name: 'test', version: '1' });
    return { call: (name, args) => client.callUntilAnswered(name, args) };
  }

  /** What was written to the person outside of a turn. */
  get written(): unknown[] {
    return this.server.callsOf('send_message').map(({ args }) => args.content);
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function scriptOf(actions: readonly ClaudeAction[]): string {
  return `script:${JSON.stringify(actions)}`;
}

function serverScript(): ToolScript {
  return {
    get_conversation_messages: () => ({
      conversation: CONVERSATION,
      messages: [],
      has_more: false,
      total_count: 0,
    }),
    send_message: ({ content }) => ({ success: true, message: message('m', content), instruction: '' }),
  };
}

function answerOf(events: readonly TurnEvent[]): string {
  let answer = '';
  for (const event of events) {
    if (event.type === 'text') answer += event.text;
    if (event.type === 'truncate') answer = answer.slice(0, event.length);
  }
  return answer;
}
