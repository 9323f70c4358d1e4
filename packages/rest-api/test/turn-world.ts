import type { SearchResultPack } from '@aizuchi/shared/contract/memory';
import type { MemoryScope } from '@aizuchi/shared/core/memory/memory-scope';
import type { Memory, RecallInput, Recollection } from '@aizuchi/shared/core/memory/recall';
import { type ChatRequest, FakeOpenAi, type FakeScript } from '../../../tests/fixtures/fake-openai.ts';
import { RestWorld, type RestWorldOptions } from './rest-world.ts';
import { type Reading, readTurn } from './turn-client.ts';

export const PACK: SearchResultPack = {
  selected: [
    {
      type: 'event',
      event_id: 'evt_kyoto',
      state_id: null,
      affect_id: null,
      why: 'ngram',
      snippet: 'We went to Kyoto in {2019}.',
    },
  ],
};

/** A memory service that answers as a test says. */
export class ScriptedMemory implements Memory {
  readonly calls: { scope: MemoryScope; input: RecallInput }[] = [];
  answer: (input: RecallInput) => Promise<Recollection> = async () => ({
    runId: 'ret_1',
    degraded: [],
    pack: PACK,
  });

  search(): never {
    throw new Error('a turn does not search');
  }

  recall(scope: MemoryScope, input: RecallInput): Promise<Recollection> {
    this.calls.push({ scope, input });
    return this.answer(input);
  }
}

/** A rest-api with a scripted model and a scripted memory. */
export class TurnWorld {
  readonly rest: RestWorld;
  readonly model: FakeOpenAi;
  readonly memory: ScriptedMemory;
  readonly projectId: string;
  readonly agentId: string;
  readonly token: string;

  private constructor(
    parts: Omit<TurnWorld, 'say' | 'url' | 'follow' | 'event' | 'second' | 'close' | 'script'>,
  ) {
    this.rest = parts.rest;
    this.model = parts.model;
    this.memory = parts.memory;
    this.projectId = parts.projectId;
    this.agentId = parts.agentId;
    this.token = parts.token;
  }

  static async create(options: Pick<RestWorldOptions, 'silence'> = {}): Promise<TurnWorld> {
    const model = await FakeOpenAi.start(() => ({ text: ['Hello', ' you.'] }));
    const memory = new ScriptedMemory();
    const rest = await RestWorld.create({
      ...options,
      memory,
      isRunning: true,
      config: { models: modelsAt(model) },
    });
    const { token } = await rest.owner();
    return new TurnWorld({ rest, model, memory, token, ...(await rest.project()) });
  }

  get url(): string {
    return `${this.rest.url}/api/chat`;
  }

  set script(script: FakeScript) {
    this.model.script = script;
  }

  say(text: string, more: object = {}): Promise<Reading> {
    const body = { agentId: this.agentId, projectId: this.projectId, text, ...more };
    return readTurn(this.url, { token: this.token, body });
  }

  follow(eventId: string, lastEventId?: number): Promise<Reading> {
    return readTurn(`${this.url}/${eventId}/stream`, {
      token: this.token,
      ...(lastEventId !== undefined && { lastEventId }),
    });
  }

  event(id: string) {
    return this.rest.context.database.db
      .selectFrom('memoryEvents')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  /** Another rest-api on the same database. */
  second() {
    return this.rest.second({ memory: this.memory, config: { models: modelsAt(this.model) } });
  }

  async close(): Promise<void> {
    await this.rest.close();
    await this.model.close();
  }
}

function modelsAt({ baseUrl }: FakeOpenAi) {
  return { language: { provider: 'openai-compatible' as const, baseUrl, model: 'm' } };
}

/** The blocks that a model was asked with, by their names, in their order. */
export function blocksOf({ messages }: ChatRequest): Map<string, unknown> {
  const blocks = new Map<string, unknown>();
  for (const { content } of messages) {
    if (!content?.startsWith('{')) continue;
    const [[name, value] = [], ...others] = Object.entries(JSON.parse(content));
    if (name !== undefined && others.length === 0) blocks.set(name, value);
  }
  return blocks;
}
