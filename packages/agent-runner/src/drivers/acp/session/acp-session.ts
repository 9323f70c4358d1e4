import type { ContentBlock } from '@agentclientprotocol/sdk';
import { aborted } from '../../../aborted.ts';
import type { ConversationOver, DriverSession, SessionOptions, Turn } from '../../../driver.ts';
import { fitMessage } from '../../../turn/answer-text.ts';
import type { TurnEnd, TurnEvent } from '../../../turn-events.ts';
import { within } from '../../../within.ts';
import { ASK_FOR_REPORT, NOT_REPORTED, overNote } from '../../conversation-over.ts';
import { Notes } from '../../notes.ts';
import { OwnTurns } from '../../own-turns.ts';
import { recalledText } from '../../recalled.ts';
import { SessionGrants } from '../../session-grants.ts';
import { failedEnd } from '../failures.ts';
import { textsFor } from '../texts/texts.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import { AcpTurn, type Asker } from '../turn/acp-turn.ts';
import { INTERRUPTED } from '../turn/turn-end.ts';
import { turnEventsOf } from '../turn/turn-events-of.ts';
import type { AcpHost, AgentConnection } from './agent-connection.ts';
import { KeptConnection } from './kept-connection.ts';
import { block, instructionsFor, noteOf, type PromptOptions, promptOf } from './prompt.ts';
import { TurnOrder } from './turn-order.ts';

/** The states of a conversation in which something can be written into it. */
const LIVE: ReadonlySet<string> = new Set(['pending', 'active']);

/** One agent at work: its turns, one after the other. */
export class AcpSession implements DriverSession {
  readonly concurrentTurns = false;
  readonly #host: AcpHost;
  readonly #options: SessionOptions;
  readonly #kept: KeptConnection;
  readonly #order = new TurnOrder();
  readonly #own = new OwnTurns();
  readonly #memory: { readonly grants: SessionGrants; readonly notices: Set<string> };
  /** For the next prompt. */
  readonly #notes = new Notes();

  constructor(host: AcpHost, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
    this.#kept = new KeptConnection(host, options);
    this.#memory = { grants: new SessionGrants(options), notices: new Set() };
  }

  /** A failure is seen again by the first turn, which tells it to the person. */
  startEarly(): void {
    const { log } = this.#options;
    this.#kept.open().catch((error: unknown) => log(`the agent could not be started: ${error}`));
  }

  async *run(turn: Turn): AsyncGenerator<TurnEvent> {
    if (turn.source.kind === 'chat') this.#own.stopAll();
    const leave = await this.#order.enter();
    try {
      const { source, signal } = turn;
      const asker: Asker = {
        signal,
        hasPerson: source.kind === 'chat',
        ask: (questions) => turn.ask(questions),
        approve: (request) => turn.approve(request),
      };
      const { texts: notes, giveBack } = this.#notes.take(source);
      const prompt = async (connection: AgentConnection) => {
        const pictures = connection.sees ? await turn.pictures?.() : undefined;
        return this.#promptOf(turn, connection, { notes, pictures });
      };
      const { end, isHeard } = yield* this.#exchange(asker, textsFor(turn.messages), prompt);
      if (isHeard) this.#kept.told();
      else giveBack();
      yield source.kind === 'conversation' && end.reason === 'done'
        ? { ...end, ...(await this.#endedIn(source.conversation_id)) }
        : end;
    } finally {
      leave();
    }
  }

  async conversationOver(over: ConversationOver): Promise<void> {
    const { tools, agentId, log } = this.#options;
    const asked = { conversation_id: over.id, limit: 1 };
    const { conversation } = await tools.call('get_conversation_messages', asked);
    const note = overNote(over, conversation);
    // Over its limit it asks no model: nothing may be spent any more.
    if (conversation.initiatorAgentId !== agentId || over.reason === 'usage_limit') {
      this.#notes.add(note);
      return;
    }
    await this.#own
      .run((signal) => this.#report(over.id, note, signal))
      .catch((error: unknown) => log(`no report of the conversation ${over.id}: ${error}`));
  }

  close(): Promise<void> {
    this.#own.stopAll();
    return this.#kept.close();
  }

  /** `isHeard`: the program has had the prompt, and lives. */
  async *#exchange(
    asker: Asker,
    texts: AcpTexts,
    prompt: (connection: AgentConnection) => ContentBlock[] | Promise<ContentBlock[]>,
  ): AsyncGenerator<TurnEvent, { readonly end: TurnEnd; readonly isHeard: boolean }> {
    const kept = this.#kept;
    let connection: AgentConnection | undefined;
    try {
      connection = await Promise.race([kept.open(), aborted(asker.signal)]);
    } catch (error) {
      return { end: failedEnd(error, texts), isHeard: false };
    }
    if (!connection || asker.signal.aborted) return { end: INTERRUPTED, isHeard: false };
    const options = { ...this.#memory, connection, asker, texts, host: this.#host, costBefore: kept.costUsd };
    const end = yield* turnEventsOf(async (emit) => {
      const turn = new AcpTurn(options, emit);
      const reached = await turn.run(await prompt(options.connection));
      kept.costUsd = turn.sessionCostUsd;
      return reached;
    });
    return { end, isHeard: await kept.check(connection) };
  }

  #promptOf(
    turn: Turn,
    connection: AgentConnection,
    { notes, pictures }: Pick<PromptOptions, 'notes' | 'pictures'>,
  ): ContentBlock[] {
    const { isInstructed, lacksHistory } = this.#kept;
    return promptOf(turn, {
      instructions: isInstructed ? undefined : instructionsFor(this.#options),
      context: lacksHistory ? turn.context : [],
      memory: recalledText(turn),
      notes,
      isResumed: connection.isResumed,
      pictures,
    });
  }

  /** Whether the model has ended this conversation itself: that has answered its messages. */
  async #endedIn(conversationId: string): Promise<{ readonly answered?: true }> {
    const { tools, log } = this.#options;
    try {
      const asked = { conversation_id: conversationId, limit: 1 };
      const { conversation } = await tools.call('get_conversation_messages', asked);
      return LIVE.has(conversation.state) ? {} : { answered: true };
    } catch (error) {
      log(`the conversation ${conversationId} could not be looked at: ${error}`);
      return {};
    }
  }

  /** A turn of our own: nobody waits for it, so nobody can be asked in it. What is not reported, the next turn hears. */
  async #report(conversationId: string, note: string, signal: AbortSignal): Promise<void> {
    const leave = await this.#order.enter();
    let isReported = false;
    try {
      const content = await this.#answerAlone([block(`${noteOf(note)}\n\n`), block(ASK_FOR_REPORT)], signal);
      if (content?.trim())
        await this.#options.tools.call('send_message', {
          target_agent_id: 'user',
          content: fitMessage(this.#options.hide(content)),
          idempotency_key: `report:${conversationId}`,
        });
      isReported = content !== undefined;
    } finally {
      if (!isReported) this.#notes.add(`${note}\n${NOT_REPORTED}`, true);
      leave();
    }
  }

  /** Undefined when the agent did not come to an end. */
  async #answerAlone(blocks: ContentBlock[], signal: AbortSignal): Promise<string | undefined> {
    const asker: Asker = {
      signal,
      hasPerson: false,
      ask: async () => ({ status: 'unavailable', answers: {} }),
      approve: async () => ({ decision: 'unavailable' }),
    };
    let used: AgentConnection | undefined;
    const events = this.#exchange(asker, textsFor([]), (connection) => {
      used = connection;
      return blocks;
    });
    const isDone = new AbortController();
    void this.#endUnheard(signal, isDone.signal, () => used);
    try {
      let content = '';
      let next = await events.next();
      for (; !next.done; next = await events.next())
        if (next.value.type === 'text') content += next.value.text;
        else if (next.value.type === 'usage') await this.#options.reportUsage(next.value.usage);
      return next.value.end.reason === 'done' ? content : undefined;
    } finally {
      isDone.abort();
    }
  }

  /** A program that does not end a turn that was stopped is ended itself: the next turn starts another. */
  async #endUnheard(
    stop: AbortSignal,
    isDone: AbortSignal,
    used: () => AgentConnection | undefined,
  ): Promise<void> {
    await Promise.race([aborted(stop), aborted(isDone)]);
    if (isDone.aborted || (await within(this.#host.limits.cancelMs, aborted(isDone)))) return;
    await used()?.close();
  }
}
