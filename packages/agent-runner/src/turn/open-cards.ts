import type { Message } from '@aizuchi/shared/contract/chat';
import type { CardResolution } from './early-outcomes.ts';
import type { RunningTurn } from './running-turn.ts';
import { TurnBeats } from './turn-beats.ts';
import type { Batch, TurnContext } from './turn-context.ts';

/**
 * The turns that wait for a person, at one card or several, while the agent works for its other sources. As long as one
 * waits, heartbeats report that the agent is alive.
 */
export class OpenCards {
  readonly #waiting = new Set<RunningTurn>();
  /** What a driver has been given of each source that waits. `repeat` says only that the server gave it. */
  readonly #given = new Map<string, Set<string>>();
  readonly #beats: TurnBeats;
  readonly #log: (sentence: string) => void;

  /** `onInterrupt`: a person interrupts what the agent does. */
  constructor({ client, log }: Pick<TurnContext, 'client' | 'log'>, onInterrupt: () => void) {
    this.#log = log;
    this.#beats = new TurnBeats({
      client,
      log,
      firstBeatAfterMs: 0,
      phase: () => 'waiting',
      onControl: (control) => {
        // "stop" comes by the next action too, with its reason.
        if (control === 'interrupt') onInterrupt();
        void this.#beats.stop();
      },
    });
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(turn: RunningTurn): void {
    this.#waiting.add(turn);
    this.#give(threadOf(turn.batch), turn.batch.pending_messages);
    this.#beats.start();
    // The driver may end the turn without the person, after an interrupt for example. Then nobody else awaits its end.
    turn.onDriven = () => {
      if (this.take(turn)) turn.over.catch((error: unknown) => this.#log(`turn failed: ${error}`));
    };
    turn.over.catch(() => undefined).finally(() => this.take(turn));
  }

  /** The turn that waits at this card. */
  turnAt(card: Pick<CardResolution, 'kind' | 'toolUseId'>): RunningTurn | undefined {
    return [...this.#waiting].find((turn) => turn.waitsFor(card));
  }

  /** The turn waits for no card any more. False: it was not among those that wait. */
  take(turn: RunningTurn): boolean {
    if (!this.#waiting.delete(turn)) return false;
    const { batch } = turn;
    if (this.#waiting.size === 0) void this.close();
    const others = this.#waitingOf(threadOf(batch));
    if (others.length === 0) this.#given.delete(threadOf(batch));
    // Its answer must not answer the messages of a turn that still waits.
    if (others.some(({ answers }) => answers === turn.answers)) turn.answers = batch.batch_id;
    return true;
  }

  /**
   * What of this batch no driver was given yet, when the batch holds all messages of a turn that waits: an answer to it
   * would answer those, too, so that turn's answer names it from now on. Undefined: it can be answered by itself. A
   * delivery is bounded, so that what is new may come without what waits.
   */
  join(batch: Batch): readonly Message[] | undefined {
    const thread = threadOf(batch);
    const waiting = this.#waitingOf(thread);
    if (waiting.length === 0) return undefined;
    const given = this.#given.get(thread);
    const fresh = batch.pending_messages.filter(({ id }) => !given?.has(id));
    if (fresh.length === 0) return fresh;
    const held = new Set(batch.pending_messages.map(({ id }) => id));
    const covered = waiting.filter((turn) => turn.batch.pending_messages.every(({ id }) => held.has(id)));
    if (covered.length === 0) return undefined;
    for (const turn of covered) turn.answers = batch.batch_id;
    this.#give(thread, fresh);
    return fresh;
  }

  async close(): Promise<void> {
    await this.#beats.stop();
  }

  #give(thread: string, messages: readonly Message[]): void {
    const given = this.#given.get(thread) ?? new Set<string>();
    for (const { id } of messages) given.add(id);
    this.#given.set(thread, given);
  }

  #waitingOf(thread: string): readonly RunningTurn[] {
    return [...this.#waiting].filter(({ batch }) => threadOf(batch) === thread);
  }
}

function threadOf({ source }: Batch): string {
  return source.kind === 'chat' ? 'chat' : source.conversation_id;
}
