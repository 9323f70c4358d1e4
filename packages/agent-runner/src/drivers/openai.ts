import type { Launch } from '@aizuchi/shared/contract/launch';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { ConversationOver, Driver, DriverSession, SessionOptions, Turn } from '../driver.ts';
import type { TurnEvent } from '../turn-events.ts';
import { History } from './openai/history/history.ts';
import { LatestSave } from './openai/history/latest-save.ts';
import type { SourceHistory } from './openai/history/records.ts';
import { type Endpoint, endpointOf } from './openai/model/endpoint.ts';
import { type Place, peopleOf, readPlace } from './openai/place.ts';
import { reportConversation } from './openai/report-conversation.ts';
import { runTurn } from './openai/run-turn.ts';
import { textsFor } from './openai/texts/texts.ts';
import { TurnAnswer } from './openai/turn-answer.ts';
import type { Limits, OpenAiContext } from './openai/turn-work.ts';

const LIMITS: Limits = {
  // A server that loads the model first is silent for minutes; an answer that has begun is not.
  silence: { firstMs: 180_000, nextMs: 60_000 },
  steps: 20,
  callsOfReply: 32,
  calls: 100,
  replyLength: 400_000,
  retryMs: [1_000, 3_000],
  longestWaitMs: 10_000,
};

/** What a model can is found out by asking it. */
const MAY = { hasTools: true, hasReasoning: true, seesPictures: true };

/** A model behind an OpenAI-compatible address, with the tools of our server. docs/providers.md */
export class OpenAiDriver implements Driver {
  readonly #endpoint: Endpoint;
  readonly #limits: Limits;

  /** Throws LaunchError when the launch names no model. */
  constructor(launch: Launch, limits: Partial<Limits> = {}) {
    this.#endpoint = endpointOf(launch);
    this.#limits = { ...LIMITS, ...limits };
  }

  async open(options: SessionOptions): Promise<DriverSession> {
    options.log(`model ${this.#endpoint.modelName} at ${this.#endpoint.host}`);
    return new OpenAiSession(options, this.#endpoint, this.#limits);
  }
}

class OpenAiSession implements DriverSession {
  readonly concurrentTurns = true;
  readonly #context: OpenAiContext;
  readonly #closed = new AbortController();
  readonly #reports = new Set<Promise<void>>();
  #place: Promise<Place> | undefined;

  constructor(session: SessionOptions, endpoint: Endpoint, limits: Limits) {
    const history = History.from(session.resume);
    const saves = new LatestSave(() => session.remember(history.toString()));
    const save = () => saves.save();
    const place: Place = { members: [] };
    this.#context = { endpoint, limits, history, session, place, save, ...MAY };
    // Before the first message comes. A failure is seen again by the turn that needs it.
    this.#ready().catch(() => undefined);
  }

  async *run(turn: Turn): AsyncGenerator<TurnEvent> {
    const context = await this.#ready();
    const namesSenders = turn.source.kind === 'chat' && peopleOf(context.place).length > 1;
    const source = context.history.of(turn.source);
    await this.#learnPurpose(turn, source);
    const { record, alsoSaid } = context.history.begin(turn, { agentId: turn.agentId, namesSenders });
    const answer = new TurnAnswer(textsFor(turn.messages));
    const pictures = await turn.pictures?.();
    yield* runTurn({ turn, context, source, record, alsoSaid, answer, pictures });
  }

  async conversationOver(over: ConversationOver): Promise<void> {
    const context = await this.#ready();
    const report = reportConversation(over, context, this.#closed.signal)
      .catch((error: unknown) => context.session.log(`no report of a conversation: ${String(error)}`))
      .finally(() => this.#reports.delete(report));
    this.#reports.add(report);
    await report;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#reports);
  }

  async #ready(): Promise<OpenAiContext> {
    this.#place ??= readPlace(this.#context.session);
    try {
      this.#context.place = await this.#place;
    } catch (error) {
      this.#place = undefined;
      throw error;
    }
    return this.#context;
  }

  /** What a conversation is about, for the one who was invited. */
  async #learnPurpose({ source: from, tools, signal }: Turn, source: SourceHistory): Promise<void> {
    if (from.kind !== 'conversation' || source.purpose !== undefined) return;
    try {
      const about = { conversation_id: from.conversation_id, limit: 1 };
      const { conversation } = await tools.call('get_conversation_messages', about);
      source.purpose = conversation.purpose ?? '';
    } catch (error) {
      if (!(error instanceof ToolRefused) && !signal.aborted) throw error;
      this.#context.session.log(`the purpose of a conversation is not known: ${String(error)}`);
    }
  }
}
