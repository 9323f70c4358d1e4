import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import type { ToolInput, ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import type { PermissionPolicy } from '@aizuchi/shared/core/approvals/rules/permission-policy';
import { hiderOf } from '@aizuchi/shared/platform/secret-values';
import { profileWith } from '@aizuchi/shared/testing/agent-profile';
import type { ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { expect } from 'vitest';
import type { AcpAgentOptions, ScriptedAction } from '../../../tests/fixtures/agents/acp-agent.ts';
import type {
  ApprovalOutcome,
  ApprovalRequest,
  DriverSession,
  QuestionOutcome,
  SessionOptions,
  Turn,
} from '../src/driver.ts';
import { AcpDriver } from '../src/drivers/acp/acp-driver.ts';
import { type AcpHost, type AcpLimits, LIMITS } from '../src/drivers/acp/session/agent-connection.ts';
import type { FoundModel } from '../src/session/report-models.ts';
import type { TurnEnd, TurnEvent, Usage } from '../src/turn-events.ts';
import { AGENT_ID, message } from './runner-world.ts';

const AGENT = fileURLToPath(new URL('../../../tests/fixtures/agents/acp-agent.ts', import.meta.url));
export const TOKEN = 'ticket-1234567890-abcdefghij';

interface OpenOptions {
  readonly agent?: AcpAgentOptions & { readonly program?: string };
  readonly session?: Partial<SessionOptions>;
  readonly host?: Partial<Omit<AcpHost, 'limits'>>;
  readonly limits?: Partial<AcpLimits>;
}

interface TurnOptions extends Partial<Pick<Turn, 'signal' | 'source' | 'context' | 'memory'>> {
  readonly messages?: readonly Message[];
  readonly approve?: (request: ApprovalRequest) => ApprovalOutcome | Promise<ApprovalOutcome>;
  readonly ask?: (questions: readonly QuestionItem[]) => QuestionOutcome | Promise<QuestionOutcome>;
  readonly onEvent?: (event: TurnEvent) => unknown;
}

/** What came of a turn. */
export interface TurnResult {
  readonly events: readonly TurnEvent[];
  readonly text: string;
  readonly end: TurnEnd | undefined;
  /** For the person, when it failed. */
  readonly sentence: string | undefined;
}

/** The driver with the scripted agent as its program. */
export class AcpWorld {
  readonly folder: string;
  readonly logged: string[] = [];
  /** Of the project, as our server says it now. */
  policy: PermissionPolicy = 'ask';
  /** What the driver gave to `remember`. */
  readonly remembered: string[] = [];
  /** What the agent has cost outside of turns. */
  readonly spent: Usage[] = [];
  /** What the driver gave to `reportModels`, by session. */
  readonly models: (readonly FoundModel[])[] = [];
  readonly #sessions: DriverSession[] = [];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<AcpWorld> {
    return new AcpWorld(await mkdtemp(join(tmpdir(), 'aizuchi-acp-')));
  }

  async open(options: OpenOptions = {}): Promise<DriverSession> {
    const { agent: { program, ...agent } = {}, session = {}, host = {}, limits = {} } = options;
    const driver = new AcpDriver(
      {
        file: process.execPath,
        // The last one is not read: a program is known by the names in its command.
        args: [AGENT, this.folder, JSON.stringify(agent), ...(program ? [program] : [])],
        cwd: this.folder,
        // Its processes are many, and load the same: with the cache each takes half of the time.
        env: { PATH: process.env.PATH, HOME: this.folder, NODE_COMPILE_CACHE: join(this.folder, 'compiled') },
        ...host,
      },
      { limits: { ...LIMITS, ...limits }, now: host.now ?? Date.now },
    );
    const opened = await driver.open({
      agentId: AGENT_ID,
      agentName: 'Aiko',
      mcp: { url: 'http://127.0.0.1:9/mcp', token: TOKEN },
      tools: { call: async (name, args) => this.#call(name, args) },
      log: (sentence) => void this.logged.push(sentence),
      hide: hiderOf([TOKEN]),
      remember: async (token) => void this.remembered.push(token),
      reportModels: (models) => void this.models.push(models),
      reportUsage: async (usage) => void this.spent.push(usage),
      ...session,
    });
    this.#sessions.push(opened);
    return opened;
  }

  async #call<N extends ToolName>(name: N, args: ToolInput<N>): Promise<ToolOutput<N>> {
    const script: ToolScript = { get_my_profile: () => profileWith(this.policy) };
    return (script[name] ?? expect.unreachable(name))(args as never);
  }

  /** One turn in the chat. Actions are what the agent does in it. */
  async turn(
    session: DriverSession,
    said: string | readonly ScriptedAction[],
    options: TurnOptions = {},
  ): Promise<TurnResult> {
    const { approve, ask, onEvent, messages, ...more } = options;
    const content = typeof said === 'string' ? said : scriptOf(said);
    const events: TurnEvent[] = [];
    const turn: Turn = {
      agentId: AGENT_ID,
      agentName: 'Aiko',
      source: { kind: 'chat' },
      messages: messages ?? [message('msg_1', content)],
      context: [],
      signal: new AbortController().signal,
      tools: { call: () => expect.unreachable() },
      ask: async (questions) => ask?.(questions) ?? { status: 'unavailable', answers: {} },
      approve: async (request) => approve?.(request) ?? { decision: 'unavailable' },
      ...more,
    };
    for await (const event of session.run(turn)) {
      events.push(event);
      onEvent?.(event);
    }
    const end = events.at(-1);
    return {
      events,
      text: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
      end: end?.type === 'end' ? end : undefined,
      sentence: end?.type === 'end' && end.reason === 'failed' ? end.sentence : undefined,
    };
  }

  /** What the agent was asked with, in all its processes. */
  async requests(method: string): Promise<Record<string, unknown>[]> {
    const text = await readFile(join(this.folder, 'requests.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line): { method: string; params: Record<string, unknown> } => JSON.parse(line))
      .filter((request) => request.method === method)
      .map(({ params }) => params);
  }

  async untilRequest(method: string): Promise<void> {
    await expect.poll(() => this.requests(method)).not.toEqual([]);
  }

  /** The texts of a prompt, one below the other. */
  async prompts(): Promise<string[]> {
    const prompts = await this.requests('session/prompt');
    return prompts.map(({ prompt }) => (prompt as { text: string }[]).map(({ text }) => text).join(''));
  }

  async reset(): Promise<void> {
    await Promise.all(this.#sessions.splice(0).map((session) => session.close()));
    this.logged.length = 0;
    this.remembered.length = 0;
    this.models.length = 0;
    await rm(join(this.folder, 'requests.jsonl'), { force: true });
    const files = await readdir(this.folder);
    const histories = files.filter((file) => file.endsWith('.session.jsonl'));
    await Promise.all(histories.map((file) => rm(join(this.folder, file))));
  }

  async close(): Promise<void> {
    await this.reset();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function scriptOf(actions: readonly ScriptedAction[], before = ''): string {
  return `${before}script:${JSON.stringify(actions)}`;
}

/** The steps in the order of their first report, each as it was reported last. */
export function lastSteps({ events }: TurnResult) {
  const steps = new Map(
    events.flatMap((event) => (event.type === 'step' ? [[event.step.id, event.step]] : [])),
  );
  return [...steps.values()];
}
