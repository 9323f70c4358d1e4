import { setTimeout as delay } from 'node:timers/promises';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ConversationOver } from '../driver.ts';
import { within } from '../within.ts';
import type { CardResolution } from './early-outcomes.ts';
import { OpenCards } from './open-cards.ts';
import { RunningTurn } from './running-turn.ts';
import type { Batch, TurnContext } from './turn-context.ts';

/** After a failed turn: no fault becomes a loop without a pause. */
const PAUSE_MS = 1_000;
const STOP_LIMIT_MS = 1_000;
/** At the end of the session. The server ends the process 15 s after it has said so. */
const FINISH_LIMIT_MS = 10_000;

/** The turns of one session. Each method resolves with true when the session has to stop. */
export class Turns {
  readonly #context: TurnContext;
  readonly #cards: OpenCards;
  readonly #running = new Set<RunningTurn>();
  /** Conversations that are over and of which the driver has not finished to tell. */
  readonly #overs = new Set<Promise<void>>();

  constructor(context: TurnContext) {
    this.#context = context;
    this.#cards = new OpenCards(context, () => this.#interrupt());
  }

  /** Fetches what is unread of one source, and works on it. */
  async answerNext(): Promise<boolean> {
    const batch = await this.#context.client.callUntilAnswered('get_pending_messages', {});
    if (!isFilled(batch)) return false;
    // The server gives this batch again when the waiting turn is over.
    if (!this.#cards.isEmpty && !(await this.#takesTurns())) return false;
    const fresh = this.#cards.join(batch);
    // Nothing is new to the driver: the turn that waits answers it.
    if (fresh?.length === 0) return false;
    const turn = new RunningTurn(batch, this.#context, fresh);
    turn.onInterrupt = () => this.#interrupt();
    this.#running.add(turn);
    turn.over.catch(() => undefined).finally(() => this.#running.delete(turn));
    return this.#settle(turn);
  }

  /** A card is resolved: its turn goes on. */
  async goOn(resolution: CardResolution): Promise<boolean> {
    const turn = this.#cards.turnAt(resolution);
    if (!turn) {
      // The call that shows the card is not answered yet. Or it is a card of an earlier session: its message comes again
      // and asks for itself.
      this.#context.earlyOutcomes.keep(resolution);
      return false;
    }
    turn.resolve(resolution);
    // It waits at another card: what becomes of that is heard by the next action, as for other sources.
    if (turn.isWaiting) return false;
    this.#cards.take(turn);
    return this.#settle(turn);
  }

  async conversationOver(over: ConversationOver): Promise<boolean> {
    const mayGoOn = Promise.withResolvers<void>();
    const told: Promise<void> = this.#tell(over, mayGoOn.resolve).finally(() => this.#overs.delete(told));
    this.#overs.add(told);
    const { overWaitMs } = this.#context;
    // A turn that waits for a person goes on only when the loop does.
    if (this.#running.size === 0) await within(overWaitMs, Promise.race([told, mayGoOn.promise]));
    return false;
  }

  /** Before the session ends: what is being told to a person is told, in a bounded time. */
  async finish(): Promise<void> {
    await within(FINISH_LIMIT_MS, Promise.all(this.#overs));
  }

  /** Ends the turns, and waits a moment for their drivers. Nothing of them is handed in any more. */
  async stop(): Promise<void> {
    for (const turn of this.#running) turn.stop();
    await within(STOP_LIMIT_MS, Promise.allSettled([...this.#running].map(({ over }) => over)));
    await this.#cards.close();
  }

  /** Ends all turns: the server gives an interrupt once, to whichever heartbeat comes first. */
  #interrupt(): void {
    for (const turn of this.#running) turn.interrupt();
  }

  /** Never rejects. `goOn` is called when turns need not wait for it. */
  async #tell(over: ConversationOver, goOn: () => void): Promise<void> {
    await this.#orPause(async () => {
      const session = await this.#context.sessions.open();
      if (session.concurrentTurns) goOn();
      await session.conversationOver?.(over);
      return false;
    });
  }

  async #takesTurns(): Promise<boolean> {
    const session = await this.#context.sessions.open().catch(() => undefined);
    return session?.concurrentTurns === true;
  }

  /** Until the turn is over or waits for a person. */
  async #settle(turn: RunningTurn): Promise<boolean> {
    return this.#orPause(async () => {
      const state = await turn.settled();
      if (state.kind === 'waiting') this.#cards.add(turn);
      return state.kind === 'stopped';
    });
  }

  /** A failure ends no session: the next action tells what to do, and what is unanswered is given again. */
  async #orPause(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      this.#context.log(`turn failed: ${error instanceof Error ? error.message : String(error)}`);
      await delay(PAUSE_MS);
      return false;
    }
  }
}

function isFilled(batch: PendingMessages): batch is Batch {
  return batch.source !== null && batch.batch_id !== undefined && batch.pending_messages.length > 0;
}
