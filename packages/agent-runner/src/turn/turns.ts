import { setTimeout as delay } from 'node:timers/promises';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ConversationOver, QuestionOutcome } from '../driver.ts';
import { within } from '../within.ts';
import { OpenCards } from './open-cards.ts';
import { RunningTurn } from './running-turn.ts';
import type { Batch, TurnContext } from './turn-context.ts';

/** After a failed turn: no fault becomes a loop without a pause. */
const PAUSE_MS = 1_000;
const STOP_LIMIT_MS = 1_000;

/** The turns of one session. Each method resolves with true when the session has to stop. */
export class Turns {
  readonly #context: TurnContext;
  readonly #cards: OpenCards;
  readonly #running = new Set<RunningTurn>();

  constructor(context: TurnContext) {
    this.#context = context;
    this.#cards = new OpenCards(context);
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
    this.#running.add(turn);
    turn.over.catch(() => undefined).finally(() => this.#running.delete(turn));
    return this.#settle(turn);
  }

  /** A card is resolved: its turn goes on. */
  async goOn(toolUseId: string, outcome: QuestionOutcome): Promise<boolean> {
    const turn = this.#cards.take(toolUseId);
    // Unknown: a card of an earlier session. Its message comes again and asks for itself.
    if (!turn) return false;
    turn.resolve(outcome);
    return this.#settle(turn);
  }

  async conversationOver(over: ConversationOver): Promise<boolean> {
    return this.#orPause(async () => {
      const session = await this.#context.sessions.open();
      await session.conversationOver?.(over);
      return false;
    });
  }

  /** Ends the turns, and waits a moment for their drivers. Nothing of them is handed in any more. */
  async stop(): Promise<void> {
    for (const turn of this.#running) turn.stop();
    await within(STOP_LIMIT_MS, Promise.allSettled([...this.#running].map(({ over }) => over)));
    await this.#cards.close();
  }

  async #takesTurns(): Promise<boolean> {
    const session = await this.#context.sessions.open().catch(() => undefined);
    return session?.concurrentTurns === true;
  }

  /** Until the turn is over or waits for a person. */
  async #settle(turn: RunningTurn): Promise<boolean> {
    return this.#orPause(async () => {
      const state = await turn.settled();
      if (state.kind === 'waiting') this.#cards.add(state.toolUseId, turn);
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
