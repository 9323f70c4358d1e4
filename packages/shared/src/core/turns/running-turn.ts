import type { TurnErrorCode, TurnFrame, TurnUsage } from '../../contract/turn.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelImage,
  type ReplyPiece,
} from '../../platform/models/model-ports.ts';
import { type SilenceLimits, Watchdog } from '../../platform/models/watchdog.ts';
import type { Locale } from '../../platform/texts/locale.ts';
import { endTurnWith } from './end-turn.ts';
import { BlockFilter } from './rules/block-filter.ts';
import { StorableStream } from './storable-stream.ts';
import { TurnLog } from './turn-log.ts';
import { renewTurn, type TurnEnd } from './turn-queries.ts';
import { turnText } from './turn-texts.ts';

/** How long a process may not be heard of before its turn counts as dead. */
export const LEASE_MS = 8_000;
const RENEW_EVERY_MS = 1_000;
/** A model may have to be loaded first. */
export const SILENCE: SilenceLimits = { firstMs: 120_000, nextMs: 60_000 };
/** As the longest message of an agent; a model may repeat itself without an end. */
const LONGEST_REPLY = 100_000;
const LONGEST_THOUGHT = 1_000_000;

/** Why a turn ends before the model has said everything. lost: it is another's now, or its event was deleted. */
export type StopReason = 'stopped' | 'stopping' | 'lost' | 'agent_gone' | 'too_long';

class TurnStop extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason);
    this.reason = reason;
  }
}

export interface Question {
  readonly instructions: readonly string[];
  readonly retrievalRunId: string | null;
}

export interface TurnWork {
  readonly eventId: string;
  readonly text: string;
  readonly images: readonly ModelImage[];
  /** Undefined: none is configured. */
  readonly model: LanguageModel | undefined;
  /** Recalls what the reply needs. */
  readonly prepare: () => Promise<Question>;
}

export interface TurnDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly locale: Locale;
  /** How long a model may say nothing. */
  readonly silence: SilenceLimits;
  /** How long it may talk, with the recall; 0: without an end. */
  readonly timeoutMs: number;
}

interface Outcome extends Pick<TurnEnd, 'state' | 'errorCode'> {
  readonly message?: string;
}

/** One turn in the process that runs it: recall, reply, and its end in the database before its end for the clients. */
export class RunningTurn {
  readonly log = new TurnLog();
  readonly ended: Promise<void>;
  readonly #work: TurnWork;
  readonly #deps: TurnDeps;
  readonly #abort = new AbortController();
  #usage: TurnUsage | null = null;
  #retrievalRunId: string | null = null;

  constructor(work: TurnWork, deps: TurnDeps) {
    this.#work = work;
    this.#deps = deps;
    this.ended = this.#run();
  }

  stop(reason: StopReason): void {
    this.#abort.abort(new TurnStop(reason));
  }

  async #run(): Promise<void> {
    const { timeoutMs } = this.#deps;
    const renewing = this.#renewWhileRunning();
    const late = timeoutMs > 0 ? setTimeout(() => this.stop('too_long'), timeoutMs) : undefined;
    const outcome = await this.#answer().catch((error: unknown) => this.#outcomeOf(error));
    clearInterval(renewing);
    clearTimeout(late);
    this.log.end(await this.#end(outcome));
  }

  async #answer(): Promise<Outcome> {
    const { model, prepare } = this.#work;
    if (!model) return this.#failed('llm_unavailable', 'not_configured');
    const { signal } = this.#abort;
    const [question] = await Promise.all([orAborted(prepare(), signal), model.warm()]);
    this.#retrievalRunId = question.retrievalRunId;
    const watchdog = new Watchdog(signal, this.#deps.silence);
    try {
      await this.#reply(model, question, watchdog);
    } catch (error) {
      signal.throwIfAborted();
      throw watchdog.silentMs === undefined
        ? error
        : new ModelError('silent', `silent for ${watchdog.silentMs} ms`);
    } finally {
      watchdog.close();
    }
    return { state: 'done', errorCode: null };
  }

  async #reply(model: LanguageModel, { instructions }: Question, watchdog: Watchdog): Promise<void> {
    const { text, images } = this.#work;
    const { signal } = watchdog;
    const filter = new BlockFilter();
    const storable = new StorableStream();
    const received = { text: 0, thought: 0 };
    try {
      for await (const piece of model.stream({ instructions, text, images, signal })) {
        watchdog.touch();
        if (piece.type === 'end') {
          this.#usage = usageOf(piece);
          continue;
        }
        // Also what is not said: it may be held back or dropped.
        received[piece.type] += piece.type === 'text' ? piece.text.length : piece.length;
        if (piece.type === 'text') this.log.say(storable.push(filter.push(piece.text)));
        if (received.text > LONGEST_REPLY || received.thought > LONGEST_THOUGHT)
          throw new ModelError('broken', 'the reply has no end');
      }
    } finally {
      this.log.say(storable.push(filter.end()));
    }
  }

  #outcomeOf(error: unknown): Outcome {
    if (error instanceof TurnStop) {
      if (error.reason === 'stopped') return { state: 'stopped', errorCode: null };
      return this.#failed('llm_stream_failed', error.reason === 'lost' ? 'process_died' : error.reason);
    }
    const { logger } = this.#deps;
    const { eventId, images } = this.#work;
    if (error instanceof ModelError) {
      // Some servers say in their error what they were sent.
      const reason = images.length > 0 ? `status ${error.status}` : error.message;
      logger.warn({ eventId, kind: error.kind, reason }, 'no reply');
    } else logger.error({ err: error, eventId }, 'unexpected error in a turn');
    const isRefused = error instanceof ModelError && error.kind === 'refused';
    return this.#failed(isRefused ? 'llm_unavailable' : 'llm_stream_failed');
  }

  #failed(errorCode: NonNullable<TurnEnd['errorCode']>, reason?: Parameters<typeof turnText>[1]): Outcome {
    return { state: 'failed', errorCode, message: turnText(this.#deps.locale, reason ?? errorCode) };
  }

  /** Stores the end, then says it. */
  async #end(outcome: Outcome): Promise<Exclude<TurnFrame, { event: 'token' }>> {
    const { eventId } = this.#work;
    const { said } = this.log;
    const end: TurnEnd = {
      state: outcome.state,
      errorCode: outcome.errorCode,
      usage: this.#usage,
      retrievalRunId: this.#retrievalRunId,
    };
    const { database, logger, locale } = this.#deps;
    try {
      const isStored = await database.transaction((tx) => endTurnWith(tx, eventId, said, end));
      if (isStored) return lastFrame(eventId, said, end, locale, outcome.message);
    } catch (error) {
      // The lease runs out, and what was renewed last is kept.
      logger.error({ err: error, eventId }, 'the end of a turn was not stored');
    }
    return errorFrame(said, 'llm_stream_failed', turnText(locale, 'process_died'));
  }

  #renewWhileRunning(): NodeJS.Timeout {
    const { database, logger } = this.#deps;
    const { eventId } = this.#work;
    let isRenewing = false;
    let stored = '';
    const renew = async () => {
      const { said } = this.log;
      const leaseUntil = new Date((await database.now()).getTime() + LEASE_MS);
      // A long text is written anew by every update that names it.
      const renewed = await renewTurn(database.db, eventId, {
        leaseUntil,
        ...(said !== stored && { said }),
      });
      stored = said;
      if (!renewed) this.stop('lost');
      else if (renewed.isStopRequested) this.stop('stopped');
      else if (!renewed.hasAgent) this.stop('agent_gone');
    };
    return setInterval(() => {
      if (isRenewing) return;
      isRenewing = true;
      renew()
        .catch((error: unknown) => logger.warn({ err: error, eventId }, 'a turn was not renewed'))
        .finally(() => {
          isRenewing = false;
        });
    }, RENEW_EVERY_MS);
  }
}

function usageOf({ usage }: Extract<ReplyPiece, { type: 'end' }>): TurnUsage | null {
  if (!usage) return null;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  return { input_tokens: inputTokens, output_tokens: outputTokens, cache_read_tokens: cacheReadTokens };
}

/** The last event of a turn, as it is stored. */
export function lastFrame(
  eventId: string,
  said: string,
  { errorCode, usage, retrievalRunId }: TurnEnd,
  locale: Locale,
  message?: string,
): Exclude<TurnFrame, { event: 'token' }> {
  if (errorCode !== null) return errorFrame(said, errorCode, message ?? turnText(locale, errorCode));
  const data = { event_id: eventId, reply_text: said, usage, retrieval_run_id: retrievalRunId };
  return { id: said.length + 1, event: 'done', data };
}

export function errorFrame(said: string, code: TurnErrorCode, message: string) {
  return { id: said.length + 1, event: 'error' as const, data: { code, message } };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
