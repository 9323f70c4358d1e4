import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { PermissionPolicy } from '@aizuchi/shared/core/approvals/rules/permission-policy';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { hiderOf } from '@aizuchi/shared/platform/secret-values';
import { profileWith } from '@aizuchi/shared/testing/agent-profile';
import { ScriptedMcpServer, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import type { DriverSession, SessionOptions, Turn } from '../../../packages/agent-runner/src/driver.ts';
import { ClaudeDriver } from '../../../packages/agent-runner/src/drivers/claude/claude-driver.ts';
import type { FoundModel } from '../../../packages/agent-runner/src/session/report-models.ts';
import type { Step, TurnEnd, TurnEvent, Usage } from '../../../packages/agent-runner/src/turn-events.ts';
import { claudeBinary } from '../../../scripts/claude/claude-binary.ts';
import { type FakeAnthropic, type ModelScript, startFakeAnthropic } from '../../fixtures/fake-anthropic.ts';
import { startTrap, type Trap } from '../../fixtures/trap-proxy.ts';

export interface WorldOptions {
  readonly script: ModelScript;
  readonly tools?: ToolScript;
  /** Variables of the agent's environment; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly executable?: string;
}

/** What came of a turn. */
export interface Played {
  readonly events: readonly TurnEvent[];
  /** The answer, as the runner puts it together. */
  readonly answer: string;
  readonly steps: readonly Step[];
  readonly usage: Usage | undefined;
  readonly end: TurnEnd;
}

/** The token of the session. */
export const TOKEN = 'ticket-1234567890-abcdefghij';

/**
 * The driver with the real Claude Code, a scripted model and a scripted server of ours, all on loopback. Everything that
 * leaves for elsewhere goes to a proxy, which refuses it and keeps its address.
 */
export class ClaudeWorld {
  readonly folder: string;
  readonly home: string;
  readonly model: FakeAnthropic;
  readonly mcp: ScriptedMcpServer;
  readonly logged: string[] = [];
  /** What the model has cost outside of turns. */
  readonly spent: Usage[] = [];
  readonly models: FoundModel[] = [];
  /** What the driver gave to `remember`. */
  token: string | undefined;
  /** Of the project, as our server says it now. */
  policy: PermissionPolicy = 'ask';
  readonly #options: WorldOptions;
  readonly #executable: string;
  readonly #trap: Trap;
  readonly #sessions: DriverSession[] = [];
  #count = 0;

  private constructor(
    parts: Pick<ClaudeWorld, 'folder' | 'home' | 'model' | 'mcp'> & { executable: string; trap: Trap },
    options: WorldOptions,
  ) {
    this.folder = parts.folder;
    this.home = parts.home;
    this.model = parts.model;
    this.mcp = parts.mcp;
    this.#executable = parts.executable;
    this.#options = options;
    this.#trap = parts.trap;
  }

  /** As the runner calls them. */
  get #tools(): SessionOptions['tools'] {
    const client = new ToolClient({ url: this.mcp.url, token: TOKEN, name: 'claude-test', version: '1' });
    return { call: (name, args) => client.callUntilAnswered(name, args) };
  }

  /** Where the program wanted to connect to besides. */
  get elsewhere(): readonly string[] {
    return this.#trap.addresses;
  }

  static async make(options: WorldOptions): Promise<ClaudeWorld> {
    const executable = options.executable ?? (await claudeBinary());
    const [folder, home] = await Promise.all(
      ['work', 'home'].map((name) => mkdtemp(join(tmpdir(), `aizuchi-claude-${name}-`))),
    );
    if (!folder || !home) throw new Error('no folders');
    const model = await startFakeAnthropic(options.script);
    const mcp = await new ScriptedMcpServer({ ...options.tools }).start();
    const trap = await startTrap();
    const world = new ClaudeWorld({ folder, home, model, mcp, executable, trap }, options);
    mcp.script.get_my_profile ??= () => profileWith(world.policy);
    return world;
  }

  async writeFile(path: string, content: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** A session as the runner opens it. */
  async open(more: Partial<SessionOptions> = {}): Promise<DriverSession> {
    const driver = new ClaudeDriver({
      executable: this.#executable,
      cwd: this.folder,
      env: {
        HOME: this.home,
        PATH: process.env.PATH,
        ANTHROPIC_BASE_URL: this.model.url,
        ANTHROPIC_API_KEY: 'sk-fake-1234567890',
        HTTP_PROXY: this.#trap.url,
        HTTPS_PROXY: this.#trap.url,
        NO_PROXY: '127.0.0.1',
        ...this.#options.env,
      },
    });
    const session = await driver.open({
      agentId: 'agt_1',
      agentName: 'Aiko',
      mcp: { url: this.mcp.url, token: TOKEN },
      log: (sentence) => void this.logged.push(sentence),
      hide: hiderOf([TOKEN]),
      tools: this.#tools,
      reportModels: (found) => void this.models.push(...found),
      reportUsage: async (usage) => void this.spent.push(usage),
      remember: async (token) => {
        this.token = token;
      },
      ...more,
    });
    this.#sessions.push(session);
    return session;
  }

  /** A message of the person in the chat. */
  message(content: string, more: Partial<Message> = {}): Message {
    this.#count += 1;
    return {
      id: `msg_${this.#count}`,
      projectId: 'prj_1',
      senderId: 'user',
      senderName: 'Owner',
      sender: 'user',
      content,
      createdAt: '2026-01-01T00:00:00.000Z',
      visible: true,
      state: 'delivered',
      seq: this.#count,
      ...more,
    };
  }

  turn(messages: string | readonly Message[], more: Partial<Turn> = {}): Turn {
    return {
      agentId: 'agt_1',
      agentName: 'Aiko',
      source: { kind: 'chat' },
      messages: typeof messages === 'string' ? [this.message(messages)] : messages,
      context: [],
      tools: this.#tools,
      signal: new AbortController().signal,
      ask: async () => ({ status: 'unavailable', answers: {} }),
      approve: async () => ({ decision: 'unavailable' }),
      ...more,
    };
  }

  /** Runs a turn to its end; `onEvent` sees each event as it comes. */
  async play(
    session: DriverSession,
    turn: Turn,
    onEvent: (event: TurnEvent) => void = () => undefined,
  ): Promise<Played> {
    const events: TurnEvent[] = [];
    for await (const event of session.run(turn)) {
      events.push(event);
      onEvent(event);
    }
    return played(events);
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await Promise.all([this.model.close(), this.mcp.close(), this.#trap.close()]);
    for (const folder of [this.folder, this.home]) await rm(folder, { recursive: true, force: true });
  }
}

function played(events: readonly TurnEvent[]): Played {
  let answer = '';
  const steps = new Map<string, Step>();
  let usage: Usage | undefined;
  let end: TurnEnd | undefined;
  for (const event of events) {
    if (event.type === 'text') answer += event.text;
    if (event.type === 'truncate') answer = answer.slice(0, event.length);
    if (event.type === 'step') steps.set(event.step.id, event.step);
    if (event.type === 'usage') usage = event.usage;
    if (event.type === 'end') end = event;
  }
  if (!end) throw new Error('the turn has no end');
  return { events, answer, steps: [...steps.values()], usage, end };
}
