import type { Message } from '@aizuchi/shared/contract/chat';
import { aborted } from '../aborted.ts';
import type { DriverSession, Turn } from '../driver.ts';
import type { TurnEnd } from '../turn-events.ts';
import { consumeEvents } from './consume-events.ts';
import type { CardResolution } from './early-outcomes.ts';
import { handIn } from './hand-in.ts';
import { TurnBeats } from './turn-beats.ts';
import { TurnCards } from './turn-cards.ts';
import type { Batch, TurnContext } from './turn-context.ts';
import { picturesOf } from './turn-pictures.ts';
import { TurnProgress } from './turn-progress.ts';

/** `waiting`: for a person, at one card or several. The turn goes on with `resolve`. */
export interface TurnState {
  readonly kind: 'answered' | 'stopped' | 'waiting';
}

const FIRST_BEAT_AFTER_MS = 300;

/** One batch on its way through the driver: shows the answer while it grows, and hands it in. */
export class RunningTurn {
  readonly batch: Batch;
  /** The batch that the answer will name. */
  answers: string;
  /** Called when the driver has ended the turn, before the answer is handed in. */
  onDriven: () => void = () => undefined;
  /** Called when a person interrupts what the agent does. */
  onInterrupt: () => void = () => this.interrupt();
  /** Resolves when the answer is handed in; rejects when it could not be. */
  readonly over: Promise<TurnState>;
  readonly #context: TurnContext;
  readonly #messages: readonly Message[];
  #isInterim: boolean;
  readonly #cut = new AbortController();
  #isStopped = false;
  readonly #progress: TurnProgress;
  readonly #beats: TurnBeats;
  readonly #cards: TurnCards;

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
      onControl: (control) => (control === 'stop' ? this.stop() : this.onInterrupt()),
    });
    this.#cards = new TurnCards(context, signal, {
      onWaiting: () => this.#beats.stop(),
      // An interrupt cancels the cards, and the next action that tells of that may come before the heartbeat.
      onCancelled: (over) => this.#beats.look(over),
    });
    this.over = this.#run();
  }

  /** Resolves when the turn is over, or waits for a person. */
  settled(): Promise<TurnState> {
    const waiting = this.#cards.shown.then(() => ({ kind: 'waiting' as const }));
    return Promise.race([this.over, waiting]);
  }

  /** Whether it waits for a person, at any card. */
  get isWaiting(): boolean {
    return this.#cards.isWaiting;
  }

  waitsFor(card: Pick<CardResolution, 'kind' | 'toolUseId'>): boolean {
    return this.#cards.waitsFor(card);
  }

  /** A card is resolved: the turn goes on with what came of it, and may wait at others. */
  resolve(resolution: CardResolution): void {
    this.#cards.resolve(resolution);
    if (this.isWaiting) return;
    this.#isInterim = false;
    this.#beats.start();
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
      this.#cards.close();
      if (this.#isStopped) return await this.#stopped();
      const answer = await this.#progress.finish(end, this.#messages);
      if (this.#isStopped) return await this.#stopped();
      this.onDriven();
      if (end.reason === 'done' && end.answered) {
        await this.#context.unreported.usage(answer.cost);
        return { kind: 'answered' };
      }
      const options = { answers: this.answers, isInterim: this.#isInterim };
      await handIn(answer, this.batch, this.#context, options);
      return { kind: 'answered' };
    } finally {
      await this.#beats.stop();
    }
  }

  async #stopped(): Promise<TurnState> {
    await this.#progress.abandon();
    return { kind: 'stopped' };
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
    const { client, agentId, agentName, log } = this.#context;
    const { signal } = this.#cut;
    return {
      agentId,
      agentName,
      source: this.batch.source,
      messages: this.#messages,
      pictures: picturesOf(this.#messages, { client, signal, log }),
      context: this.batch.context_messages,
      memory: this.batch.memory,
      tools: { call: (name, args) => client.callUntilAnswered(name, args, { signal }) },
      signal,
      ask: (questions) => this.#cards.ask(questions),
      approve: (request) => this.#cards.approve(request),
    };
  }
}
