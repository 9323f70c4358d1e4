import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { ApprovalOutcome, ApprovalRequest, QuestionOutcome } from '../driver.ts';
import { askPerson, inWordsOfModel } from './ask-person.ts';
import type { CardResolution } from './early-outcomes.ts';
import { requestApproval } from './request-approval.ts';
import type { TurnContext } from './turn-context.ts';

const NO_ANSWER: QuestionOutcome = { status: 'cancelled', answers: {} };
const NO_DECISION: ApprovalOutcome = { decision: 'cancelled' };

export interface TurnCardsOptions {
  /** Called when a card is open, before `shown` resolves. */
  readonly onWaiting: () => Promise<void>;
  /**
   * Called when a card was cancelled, before the driver hears of it: perhaps the turn was interrupted. Its signal: the
   * turn is over.
   */
  readonly onCancelled: (signal: AbortSignal) => Promise<void>;
}

/**
 * What a driver asks a person in the middle of a turn: questions one card at a time, as the person sees them, and
 * requests for permission side by side.
 */
export class TurnCards {
  readonly #context: TurnContext;
  readonly #on: TurnCardsOptions;
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  readonly #aborted: Promise<void>;
  readonly #questions = new Waiting<QuestionOutcome>();
  readonly #approvals = new Waiting<ApprovalOutcome>();
  #lastQuestion: Promise<unknown> = Promise.resolve();
  #shown = Promise.withResolvers<void>();
  /** Whether somebody was told of an open card by `shown`. */
  #isShown = false;

  constructor(context: TurnContext, signal: AbortSignal, on: TurnCardsOptions) {
    this.#context = context;
    this.#on = on;
    const over = AbortSignal.any([signal, this.#closed.signal]);
    this.#signal = over;
    this.#aborted = new Promise((resolve) => over.addEventListener('abort', () => resolve()));
    over.addEventListener('abort', () => this.#cancel());
  }

  /** Resolves when a card is open. */
  get shown(): Promise<void> {
    return this.#shown.promise;
  }

  get isWaiting(): boolean {
    return this.#questions.size + this.#approvals.size > 0;
  }

  waitsFor({ kind, toolUseId }: Pick<CardResolution, 'kind' | 'toolUseId'>): boolean {
    return (kind === 'question' ? this.#questions : this.#approvals).has(toolUseId);
  }

  /** What became of an open card. */
  resolve(resolution: CardResolution): void {
    const { kind, toolUseId, outcome } = resolution;
    if (kind === 'question') this.#questions.resolve(toolUseId, outcome);
    else this.#approvals.resolve(toolUseId, outcome);
    // One that was resolved before it was shown leaves who waits for `shown` waiting.
    if (this.isWaiting || !this.#isShown) return;
    this.#isShown = false;
    this.#shown = Promise.withResolvers();
  }

  /** The turn is over: what is open counts as cancelled, and nothing is asked any more. */
  close(): void {
    this.#closed.abort();
  }

  /** Resolves as cancelled when the signal is aborted. */
  async ask(questions: readonly QuestionItem[]): Promise<QuestionOutcome> {
    const asked = this.#lastQuestion.then(() => this.#askOne(questions));
    this.#lastQuestion = asked.catch(() => undefined);
    const outcome = await asked;
    if (outcome.status === 'cancelled') await this.#cancelled();
    return outcome;
  }

  /** Resolves as cancelled when the signal is aborted. */
  async approve(request: ApprovalRequest): Promise<ApprovalOutcome> {
    const decided = this.#context.approvalSlots.run(() => this.#approveOne(request));
    const outcome = await Promise.race([decided, this.#aborted.then(() => NO_DECISION)]);
    if (outcome.decision === 'cancelled') await this.#cancelled();
    return outcome;
  }

  async #cancelled(): Promise<void> {
    if (!this.#signal.aborted) await Promise.race([this.#on.onCancelled(this.#signal), this.#aborted]);
  }

  async #askOne(questions: readonly QuestionItem[]): Promise<QuestionOutcome> {
    if (this.#signal.aborted) return NO_ANSWER;
    const card = await Promise.race([askPerson(questions, this.#context, this.#signal), this.#aborted]);
    if (!card) return NO_ANSWER;
    const { hide } = this.#context;
    if (card.status !== 'pending') return inWordsOfModel(card, questions, hide);
    const resolved = this.#questions.wait(card.toolUseId);
    await this.#show({ kind: 'question', toolUseId: card.toolUseId });
    return inWordsOfModel(await resolved, questions, hide);
  }

  async #approveOne(request: ApprovalRequest): Promise<ApprovalOutcome> {
    if (this.#signal.aborted) return NO_DECISION;
    const card = await Promise.race([requestApproval(request, this.#context, this.#signal), this.#aborted]);
    if (!card) return NO_DECISION;
    if (card.decision !== 'pending') return card;
    const resolved = this.#approvals.wait(card.toolUseId);
    await this.#show({ kind: 'approval', toolUseId: card.toolUseId });
    return resolved;
  }

  async #show(card: Pick<CardResolution, 'kind' | 'toolUseId'>): Promise<void> {
    if (this.#signal.aborted) return this.#cancel();
    const early = this.#context.earlyOutcomes.take(card);
    if (early) return this.resolve(early);
    await this.#on.onWaiting();
    if (!this.isWaiting) return;
    this.#isShown = true;
    this.#shown.resolve();
  }

  #cancel(): void {
    this.#questions.resolveAll(NO_ANSWER);
    this.#approvals.resolveAll(NO_DECISION);
  }
}

/** The open cards of one kind, by their ids. */
class Waiting<Outcome> {
  readonly #waiters = new Map<string, PromiseWithResolvers<Outcome>>();

  get size(): number {
    return this.#waiters.size;
  }

  has(toolUseId: string): boolean {
    return this.#waiters.has(toolUseId);
  }

  wait(toolUseId: string): Promise<Outcome> {
    const waiter = this.#waiters.get(toolUseId) ?? Promise.withResolvers<Outcome>();
    this.#waiters.set(toolUseId, waiter);
    return waiter.promise;
  }

  resolve(toolUseId: string, outcome: Outcome): void {
    this.#waiters.get(toolUseId)?.resolve(outcome);
    this.#waiters.delete(toolUseId);
  }

  resolveAll(outcome: Outcome): void {
    for (const toolUseId of this.#waiters.keys()) this.resolve(toolUseId, outcome);
  }
}
