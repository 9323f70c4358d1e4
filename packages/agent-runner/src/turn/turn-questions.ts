import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { QuestionOutcome } from '../driver.ts';
import { askPerson } from './ask-person.ts';
import type { TurnContext } from './turn-context.ts';

const CANCELLED: QuestionOutcome = { status: 'cancelled', answers: {} };

/** The questions that a driver asks in the middle of a turn, one card at a time, as the person sees them. */
export class TurnQuestions {
  readonly #context: TurnContext;
  readonly #signal: AbortSignal;
  readonly #onWaiting: () => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();
  #shown = Promise.withResolvers<string>();
  #answered = Promise.withResolvers<QuestionOutcome>();

  /** `onWaiting`: called when a card is open, before `shown` resolves. */
  constructor(context: TurnContext, signal: AbortSignal, onWaiting: () => Promise<void>) {
    this.#context = context;
    this.#signal = signal;
    this.#onWaiting = onWaiting;
    signal.addEventListener('abort', () => this.#answered.resolve(CANCELLED));
  }

  /** Resolves with the id of the open card, or of the next one. */
  get shown(): Promise<string> {
    return this.#shown.promise;
  }

  /** What came of the open card. */
  resolve(outcome: QuestionOutcome): void {
    this.#shown = Promise.withResolvers();
    this.#answered.resolve(outcome);
  }

  /** Resolves as cancelled when the signal is aborted. */
  ask(questions: readonly QuestionItem[]): Promise<QuestionOutcome> {
    const asked = this.#last.then(() => this.#askOne(questions));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #askOne(questions: readonly QuestionItem[]): Promise<QuestionOutcome> {
    if (this.#signal.aborted) return CANCELLED;
    this.#answered = Promise.withResolvers();
    const card = await Promise.race([askPerson(questions, this.#context), this.#answered.promise]);
    if (card.status !== 'pending') return card;
    await this.#onWaiting();
    this.#shown.resolve(card.toolUseId);
    return this.#answered.promise;
  }
}
