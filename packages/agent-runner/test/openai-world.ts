import type { Message } from '@aizuchi/shared/contract/chat';
import type { Launch } from '@aizuchi/shared/contract/launch';
import type { MessageSource } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import type { ToolInput, ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { hiderOf } from '@aizuchi/shared/platform/secret-values';
import { ScriptedRefusal, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { FakeOpenAi, type FakeScript } from '../../../tests/fixtures/fake-openai.ts';
import type { DriverSession, QuestionOutcome, SessionOptions, Turn } from '../src/driver.ts';
import type { Limits } from '../src/drivers/openai/turn-work.ts';
import { OpenAiDriver } from '../src/drivers/openai.ts';
import type { TurnEnd, TurnEvent, Usage } from '../src/turn-events.ts';
import { AGENT_ID, message } from './runner-world.ts';

const MODEL = 'test-model';
const QUICK: Partial<Limits> = { retryMs: [1, 1], silence: { firstMs: 30_000, nextMs: 30_000 } };

/** A task as the tools of the server show it, and a board with it. */
export const TASK = {
  task_id: 'tsk_1',
  title: 'Order tea',
  description: '',
  status: 'backlog' as const,
  priority: 'medium' as const,
  assignee_id: null,
  assignee_name: null,
  parent_id: null,
  depends_on: [],
  labels: [],
  due_date: null,
  version: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
export const BOARD = {
  tasks: [TASK],
  counts: { backlog: 1, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
  next_cursor: null,
};

export interface Played {
  readonly events: readonly TurnEvent[];
  /** What the person reads of the texts, after every truncation. */
  readonly text: string;
  readonly end: TurnEnd | undefined;
}

/** The driver against a scripted model; the tools of the server are a script as well. */
export class OpenAiWorld {
  readonly fake: FakeOpenAi;
  readonly logged: string[] = [];
  /** What was remembered last: the next session goes on from it. */
  remembered: string | undefined;
  /** How often something was remembered. */
  saves = 0;
  /** What the model has cost outside of turns. */
  readonly spent: Usage[] = [];
  readonly toolCalls: { readonly name: string; readonly args: Record<string, unknown> }[] = [];
  tools: ToolScript = {};
  people: readonly string[] = ['Owner'];

  private constructor(fake: FakeOpenAi) {
    this.fake = fake;
  }

  static async make(): Promise<OpenAiWorld> {
    return new OpenAiWorld(await FakeOpenAi.start(() => ({ text: 'Hello.' })));
  }

  /** The replies of the model in their order; the last one from then on. */
  script(...replies: [ReturnType<FakeScript>, ...ReturnType<FakeScript>[]]): void {
    const begin = this.fake.requests.length;
    this.fake.script = (_, index) => replies[index - begin] ?? replies[replies.length - 1] ?? { text: '' };
  }

  async open(options: { launch?: Partial<Launch>; limits?: Partial<Limits>; systemPrompt?: string } = {}) {
    const launch: Launch = {
      runId: 'run_1',
      agentId: AGENT_ID,
      projectId: 'prj_1',
      purpose: 'chat',
      provider: 'openai',
      model: MODEL,
      baseUrl: this.fake.baseUrl,
      ...options.launch,
    };
    const session: SessionOptions = {
      agentId: AGENT_ID,
      agentName: 'Aiko',
      mcp: { url: 'http://127.0.0.1:1/mcp', token: 'ticket' },
      tools: { call: (name, args) => this.#call(name, args) },
      log: (sentence) => void this.logged.push(sentence),
      hide: hiderOf([options.launch?.apiKey]),
      remember: async (token) => {
        this.remembered = token;
        this.saves += 1;
      },
      reportModels: () => undefined,
      reportUsage: async (usage) => void this.spent.push(usage),
      ...(options.systemPrompt !== undefined && { systemPrompt: options.systemPrompt }),
      ...(this.remembered !== undefined && { resume: this.remembered }),
    };
    return new OpenAiDriver(launch, { ...QUICK, ...options.limits }).open(session);
  }

  turn(messages: readonly Message[], more: Partial<Turn> = {}): Turn {
    return {
      agentId: AGENT_ID,
      agentName: 'Aiko',
      source: { kind: 'chat' },
      messages,
      context: [],
      tools: { call: (name, args) => this.#call(name, args) },
      signal: new AbortController().signal,
      ask: async (): Promise<QuestionOutcome> => ({ status: 'unavailable', answers: {} }),
      approve: async () => ({ decision: 'unavailable' }),
      ...more,
    };
  }

  /** One message of the person, to the end of its turn. */
  say(session: DriverSession, content: string, more: Partial<Turn> = {}): Promise<Played> {
    this.#seq += 1;
    const id = `msg_${this.#seq}`;
    return play(session, this.turn([message(id, content, { seq: this.#seq * 10 })], more));
  }

  async close(): Promise<void> {
    await this.fake.close();
  }

  #seq = 0;

  async #call<N extends ToolName>(name: N, args: ToolInput<N>): Promise<ToolOutput<N>> {
    this.toolCalls.push({ name, args: { ...args } });
    const script: ToolScript = { ...this.#place(), ...this.tools };
    const answer = script[name];
    if (!answer) throw new Error(`no script for the tool ${name}`);
    try {
      return await answer(args as never);
    } catch (error) {
      if (error instanceof ScriptedRefusal) throw new ToolRefused(error.code, 'not like this', error.details);
      throw error;
    }
  }

  #place(): ToolScript {
    const member = { labels: [], active_sessions: 0 };
    return {
      get_my_profile: () => ({
        agent_id: AGENT_ID,
        name: 'Aiko',
        role: 'Planner',
        labels: [],
        purpose: 'chat',
        project: { project_id: 'prj_1', name: 'Tea house', working_directory: '/tmp', status: 'active' },
      }),
      list_project_agents: () => ({
        agents: [
          ...this.people.map((name, index) => ({
            ...member,
            agent_id: `hum_${index}`,
            name,
            type: 'human' as const,
            is_self: false,
          })),
          { ...member, agent_id: AGENT_ID, name: 'Aiko', type: 'ai' as const, is_self: true },
          { ...member, agent_id: 'agt_2', name: 'Bob', type: 'ai' as const, is_self: false },
        ],
      }),
    };
  }
}

export async function play(session: DriverSession, turn: Turn): Promise<Played> {
  const events: TurnEvent[] = [];
  for await (const event of session.run(turn)) events.push(event);
  return played(events);
}

function played(events: readonly TurnEvent[]): Played {
  let text = '';
  for (const event of events) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'truncate') text = text.slice(0, event.length);
  }
  return { events, text, end: events.find((event) => event.type === 'end') };
}

export function stepsOf({ events }: Played): string[] {
  return events.flatMap((event) =>
    event.type === 'step' ? `${event.step.kind} ${event.step.title} ${event.step.status}` : [],
  );
}

export const CONVERSATION: MessageSource = {
  kind: 'conversation',
  conversation_id: 'conv_1',
  agent_id: 'agt_2',
};
