import type { Message } from '@aizuchi/shared/contract/chat';
import type { DriverSession, QuestionOutcome, Turn } from '../driver.ts';
import type { TurnEnd } from '../turn-events.ts';
import { consumeEvents } from './consume-events.ts';
import { handIn } from './hand-in.ts';
import { TurnBeats } from './turn-beats.ts';
import type { Batch, TurnContext } from './turn-context.ts';
import { TurnProgress } from './turn-progress.ts';
import { TurnQuestions } from './turn-questions.ts';

/** `waiting`: for a person, at this card. The turn goes on with `resolve`. */
export type TurnState =
  | { readonly kind: 'answered' | 'stopped' }
  | { readonly kind: 'waiting'; readonly toolUseId: string };

const FIRST_BEAT_AFTER_MS = 300;

/** One batch on its way through the driver: shows the answer while it grows, and hands it in. */
export class RunningTurn {
  readonly batch: Batch;
  /** The batch that the answer will name. */
  answers: string;
  /** Called when the driver has ended the turn, before the answer is handed in. */
  onDriven: () => void = () => undefined;
  /** Resolves when the answer is handed in; rejects when it could not be. */
  readonly over: Promise<TurnState>;
  readonly #context: TurnContext;
  readonly #messages: readonly Message[];
  #isInterim: boolean;
  readonly #cut = new AbortController();
  #isStopped = false;
  readonly #progress: TurnProgress;
  readonly #beats: TurnBeats;
  readonly #questions: TurnQuestions;

  /** `interim`: another turn of the same source waits for a person, and only these messages are new. */
  constructor(batch: Batch, context: TurnContext, interim?: readonly Message[]) {
    this.batch = batch;
    this.answers = batch.batch_id;
    this.#context = context;
    this.#messages = interim ?? batch.pending_messages;
    this.#isInterim = interim !== undefined;
    const { client, log } = context;
    const { signal } = this.#cut;
    this.#progress = new TurnProgress(batch, context, signal);
    this.#beats = new TurnBeats({
      client,
      log,
      firstBeatAfterMs: FIRST_BEAT_AFTER_MS,
      phase: () => this.#progress.phase,
      onControl: (control) => (control === 'stop' ? this.stop() : this.interrupt()),
    });
    this.#questions = new TurnQuestions(context, signal, () => this.#beats.stop());
    this.over = this.#run();
  }

  /** Resolves when the turn is over, or waits for a person. */
  settled(): Promise<TurnState> {
    const waiting = this.#questions.shown.then((toolUseId) => ({ kind: 'waiting' as const, toolUseId }));
    return Promise.race([this.over, waiting]);
  }

  /** The card is resolved: the turn goes on with what came of it. */
  resolve(outcome: QuestionOutcome): void {
    this.#isInterim = false;
    this.#beats.start();
    this.#questions.resolve(outcome);
  }

  /** What was written so far is the answer. */
  interrupt(): void {
    this.#cut.abort();
  }

  /** The session ends: no answer is handed in. */
  stop(): void {
    this.#isStopped = true;
    this.#cut.abort();
  }

  async #run(): Promise<TurnState> {
    this.#beats.start();
    try {
      const end = await this.#drive();
      const answer = await this.#progress.finish(end, this.#messages);
      if (this.#isStopped) return { kind: 'stopped' };
      this.onDriven();
      if (end.reason === 'done' && end.answered) return { kind: 'answered' };
      const options = { answers: this.answers, isInterim: this.#isInterim };
      await handIn(answer, this.batch, this.#context, options);
      return { kind: 'answered' };
    } finally {
      await this.#beats.stop();
    }
  }

  async #drive(): Promise<TurnEnd> {
    const { sessions, interruptLimitMs, log } = this.#context;
    const { signal } = this.#cut;
    let session: DriverSession | undefined;
    try {
      session = await Promise.race([sessions.open(), aborted(signal)]);
    } catch (error) {
      return { type: 'end', reason: 'failed', error: `the agent could not be started: ${error}` };
    }
    if (!session) return { type: 'end', reason: 'interrupted' };
    const opened = session;
    const { end, isBroken } = await consumeEvents(() => opened.run(this.#turn()), {
      onProgress: (event) => this.#progress.take(event),
      signal,
      interruptLimitMs,
      log,
    });
    if (isBroken) sessions.replace(opened);
    return end;
  }

  #turn(): Turn {
    const { client, agentId, agentName, unreported } = this.#context;
    const { signal } = this.#cut;
    return {
      agentId,
      agentName,
      source: this.batch.source,
      messages: this.#messages,
      context: this.batch.context_messages,
      tools: { call: (name, args) => client.callUntilAnswered(name, args, { signal }) },
      signal,
      ask: (questions) => this.#questions.ask(questions),
      approve: (request) => unreported.approve(request),
    };
  }
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
}
