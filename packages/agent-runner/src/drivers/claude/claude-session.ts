import { randomUUID } from 'node:crypto';
import type { Message } from '@aizuchi/shared/contract/chat';
import { aborted } from '../../aborted.ts';
import type { ConversationOver, DriverSession, SessionOptions, Turn } from '../../driver.ts';
import { fitMessage } from '../../turn/answer-text.ts';
import type { TurnEnd, TurnEvent } from '../../turn-events.ts';
import { ASK_FOR_REPORT, NOT_REPORTED, overNote } from '../conversation-over.ts';
import { Notes } from '../notes.ts';
import { OwnTurns } from '../own-turns.ts';
import { recalledText } from '../recalled.ts';
import { SessionGrants } from '../session-grants.ts';
import { answerAlone } from './answer-alone.ts';
import { ClaudeConnection } from './claude-connection.ts';
import type { ClaudeResult } from './claude-message.ts';
import { type ClaudeProcess, type Said, START_LIMIT_MS } from './claude-process.ts';
import { translated } from './exchange.ts';
import { failureSentence, startSentence } from './failures.ts';
import { Permissions } from './permissions.ts';
import { promptOf } from './prompt.ts';
import type { ClaudeHost } from './query-options.ts';
import { textsFor } from './texts.ts';
import type { ClaudeTexts } from './texts-shape.ts';
import { TurnTranslator } from './turn-translator.ts';
import { turnUuid } from './turn-uuid.ts';

type Progress = Exclude<TurnEvent, TurnEnd>;

interface Saying {
  readonly translator: TurnTranslator;
  readonly texts: ClaudeTexts;
  readonly notes: readonly string[];
  readonly memory: string | undefined;
  readonly onBegin: () => void;
}

/** Nothing older is given again. */
const MAX_SAID = 1_000;
const DONE: TurnEnd = { type: 'end', reason: 'done' };
const ANSWERED: TurnEnd = { type: 'end', reason: 'done', answered: true };
const INTERRUPTED: TurnEnd = { type: 'end', reason: 'interrupted' };

/** One agent at work with Claude Code: its turns, one after the other. */
export class ClaudeSession implements DriverSession {
  readonly concurrentTurns = false;
  readonly #host: ClaudeHost;
  readonly #options: SessionOptions;
  readonly #permissions: Permissions;
  readonly #connection: ClaudeConnection;
  /** The turn that runs, and those that wait for it. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #own = new OwnTurns();
  /**
   * What was said in this process, the newest last. When the same messages are given again (a person has sent them again,
   * or their answer did not count), they are another command to Claude Code: of one that it knows it reports nothing, or
   * the end of the first time.
   */
  readonly #said = new Set<string>();
  /** For the next message to the model. */
  readonly #notes = new Notes();

  constructor(host: ClaudeHost, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
    this.#permissions = new Permissions(host.cwd, new SessionGrants(options));
    this.#connection = new ClaudeConnection(host, options, this.#permissions);
  }

  /** A failure is seen again by the first turn, which tells it to the person. */
  async startEarly(): Promise<void> {
    await this.#connection
      .open()
      .catch((error: unknown) => this.#options.log(`Claude Code could not be started: ${error}`));
  }

  async *run(turn: Turn): AsyncGenerator<TurnEvent> {
    if (turn.source.kind === 'chat') this.#own.stopAll();
    const leave = await this.#enter();
    const texts = textsFor(turn.messages);
    const translator = new TurnTranslator({ texts, cwd: this.#host.cwd });
    try {
      let end = DONE;
      const parts = this.#partsOf(turn.messages);
      for (const messages of parts) {
        // Found for what is new, which comes last.
        const memory = messages === parts.at(-1) ? recalledText(turn) : undefined;
        end = yield* this.#answer(messages, turn, { translator, texts, memory });
        if (end.reason !== 'done') break;
      }
      yield* translator.finish();
      const isAnswered = end.reason === 'done' && isOver(turn, translator);
      yield isAnswered ? ANSWERED : end;
    } finally {
      this.#permissions.end();
      leave();
    }
  }

  async conversationOver(over: ConversationOver): Promise<void> {
    const { conversation } = await this.#options.tools.call('get_conversation_messages', {
      conversation_id: over.id,
      limit: 1,
    });
    const note = overNote(over, conversation);
    // Over its limit it asks no model: nothing may be spent any more.
    if (conversation.initiatorAgentId !== this.#options.agentId || over.reason === 'usage_limit') {
      this.#notes.add(note);
      return;
    }
    await this.#own
      .run((signal) => this.#report(over.id, note, signal))
      .catch((error: unknown) => this.#options.log(`no report of the conversation ${over.id}: ${error}`));
  }

  async close(): Promise<void> {
    this.#own.stopAll();
    await this.#connection.close();
  }

  /** Messages that an earlier process was given are said as it said them: it may have begun to answer. */
  #partsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
    if (!this.#connection.isResumed) return [messages];
    const given = messages.filter(({ redelivered }) => redelivered);
    const fresh = messages.filter(({ redelivered }) => !redelivered);
    return [given, fresh].filter((part) => part.length > 0);
  }

  async *#answer(
    messages: readonly Message[],
    turn: Turn,
    view: Pick<Saying, 'translator' | 'texts' | 'memory'>,
  ): AsyncGenerator<Progress, TurnEnd> {
    const { texts: notes, giveBack } = this.#notes.take(turn.source);
    let isHeard = false;
    const onBegin = () => {
      isHeard = true;
      this.#permissions.begin(turn);
    };
    try {
      return yield* this.#say(messages, turn, { ...view, notes, onBegin });
    } finally {
      if (!isHeard) giveBack();
    }
  }

  async *#say(
    messages: readonly Message[],
    turn: Turn,
    { translator, texts, notes, memory, onBegin }: Saying,
  ): AsyncGenerator<Progress, TurnEnd> {
    const { signal } = turn;
    const id = turnUuid(messages.map((message) => message.id));
    let uuid: Said['uuid'] = this.#note(id) ? id : randomUUID();
    const ids = new Set(messages.map((message) => message.id));
    const pictures = ((await turn.pictures?.()) ?? []).filter(({ messageId }) => ids.has(messageId));
    let deaths = 0;
    for (;;) {
      if (signal.aborted) return INTERRUPTED;
      let process: ClaudeProcess | undefined;
      try {
        process = await Promise.race([this.#connection.open(), aborted(signal)]);
      } catch (error) {
        const { executable } = this.#host;
        const sentence = startSentence(error, executable, START_LIMIT_MS, texts.failures);
        return { type: 'end', reason: 'failed', error: String(error), sentence };
      }
      if (!process) return INTERRUPTED;
      const { lacksHistory, skills } = this.#connection;
      const context = lacksHistory ? turn.context : [];
      const said = { ...promptOf(messages, turn, { context, notes, memory, skills }), pictures, uuid };
      const end = yield* translated(process, said, {
        signal,
        onBegin,
        onMessage: (message) => this.#connection.learn(message),
        log: this.#options.log,
        translator,
      });
      switch (end.kind) {
        case 'result':
          yield translator.usage(end.result, this.#connection.costOf(end.result));
          return endOf(end.result, signal, translator, texts);
        case 'cancelled':
          return INTERRUPTED;
        case 'known':
          // What it answered is lost with the runner that had asked: it is asked again.
          uuid = randomUUID();
          break;
        case 'died':
          deaths += 1;
          if (deaths > 1 && !signal.aborted)
            return { ...failed(`it ended: ${end.how}`), sentence: texts.failures.died(end.how) };
          yield* translator.restart();
      }
    }
  }

  /** False: this was said before. */
  #note(id: string): boolean {
    if (this.#said.has(id)) return false;
    this.#said.add(id);
    const [oldest] = this.#said;
    if (this.#said.size > MAX_SAID && oldest !== undefined) this.#said.delete(oldest);
    return true;
  }

  /** A turn of our own: nobody waits for it, so nobody can be asked in it. What is not reported, the next turn hears. */
  async #report(conversationId: string, note: string, signal: AbortSignal): Promise<void> {
    const leave = await this.#enter();
    let isReported = false;
    try {
      const said: Said = {
        text: `<note>\n${note}\n</note>\n\n${ASK_FOR_REPORT}`,
        isCommand: false,
        uuid: turnUuid([`over:${conversationId}`]),
      };
      const content = await answerAlone(said, signal, {
        connection: this.#connection,
        permissions: this.#permissions,
        session: this.#options,
        cwd: this.#host.cwd,
      });
      if (content?.trim())
        await this.#options.tools.call('send_message', {
          target_agent_id: 'user',
          content: fitMessage(this.#options.hide(content)),
          idempotency_key: `report:${conversationId}`,
        });
      isReported = content !== undefined;
    } finally {
      if (!isReported) this.#notes.add(`${note}\n${NOT_REPORTED}`, true);
      this.#permissions.end();
      leave();
    }
  }

  /** Resolves when it is this turn's time, with what ends it. */
  async #enter(): Promise<() => void> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    await before;
    return turn.resolve;
  }
}

function endOf(
  result: ClaudeResult,
  signal: AbortSignal,
  { error, model }: TurnTranslator,
  { failures }: ClaudeTexts,
): TurnEnd {
  if (signal.aborted) return INTERRUPTED;
  if (!result.is_error && result.subtype === 'success') return DONE;
  const why = [result.subtype, result.terminal_reason, error?.kind, error?.text ?? result.result];
  const sentence = failureSentence({ result, error, model }, failures);
  return { ...failed(why.filter(Boolean).join(', ')), sentence };
}

function failed(error: string): Extract<TurnEnd, { reason: 'failed' }> {
  return { type: 'end', reason: 'failed', error };
}

/** The model has ended the conversation that it was asked in: that has answered its messages. */
function isOver({ source }: Turn, translator: TurnTranslator): boolean {
  return source.kind === 'conversation' && translator.hasEnded(source.conversation_id);
}
