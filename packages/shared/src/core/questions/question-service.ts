import type { ListQuestionsQuery, Question, QuestionPage } from '../../contract/question.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import type { DueCard } from '../cards/card-queries.ts';
import { CardService } from '../cards/card-service.ts';
import { expiresAt } from '../cards/rules/card-machine.ts';
import type { ServiceDeps } from '../deps.ts';
import { type AskInput, QuestionAsking, type Standing } from './ask-question.ts';
import { applyQuestionCommand, QUESTION_CARDS } from './question-lifecycle.ts';
import { QuestionQueries, type QuestionRecord } from './question-queries.ts';
import { labelAnswers, readAnswers } from './rules/answers.ts';

export interface QuestionOutcome {
  readonly toolUseId: string;
  readonly status: Question['status'] | 'unavailable';
  /** By question text (trap 17). */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Agents ask and people answer: cards, their answers, and how agents are given them. */
export class QuestionService {
  readonly #deps: ServiceDeps;
  readonly #asking: QuestionAsking;
  readonly #desk: CardService<QuestionRecord>;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#asking = new QuestionAsking(deps);
    this.#desk = new CardService(deps, QUESTION_CARDS);
  }

  /** Stores the card unless it exists (same id, or the same questions), and returns its state. */
  async ask(caller: AgentCaller, input: AskInput): Promise<QuestionOutcome> {
    const asked = await this.#asking.ask(caller, input);
    if (asked.status !== 'stands') return asked;
    const outcome = (await this.outcomes([asked.toolUseId])).get(asked.toolUseId);
    if (!outcome) throw new Error('a stored card is gone');
    return outcome;
  }

  /** What a session or a start may do; null when none has this bearer. */
  standing(bearer: string): Promise<Standing | null> {
    return this.#asking.standing(bearer);
  }

  /** Whether it may ask at all; null when no session or start has this bearer. */
  async mayAsk(bearer: string): Promise<boolean | null> {
    return (await this.standing(bearer))?.mayAsk ?? null;
  }

  /** The state of these cards; one whose time is over times out now, independent of the sweeper. */
  async outcomes(toolUseIds: readonly string[]): Promise<Map<string, QuestionOutcome>> {
    const cards = await this.#desk.current(toolUseIds);
    return new Map([...cards].map(([id, card]) => [id, toOutcome(card)]));
  }

  /**
   * Records that the result of a card is about to be offered to this session; `repeat` when an earlier offer was not
   * acknowledged. Null: it must not be told, because the session is over or does not hold the card.
   */
  async offer(sessionId: string, toolUseId: string): Promise<(QuestionOutcome & { repeat: boolean }) | null> {
    const offered = await this.#desk.offer(sessionId, toolUseId);
    return offered && { ...toOutcome(offered.card), repeat: offered.repeat };
  }

  /** The response that offered it was written to a live connection. Idempotent. */
  acknowledged(sessionId: string, toolUseIds: readonly string[]): Promise<void> {
    return this.#desk.acknowledged(sessionId, toolUseIds);
  }

  async list(person: Person, projectId: string, query: ListQuestionsQuery): Promise<QuestionPage> {
    await requireMember(this.#deps.database.db, person, projectId);
    const { cards, hasMore } = await new QuestionQueries(this.#deps.database.db).list(projectId, {
      state: query.status,
      agentId: query.agentId,
      before: query.cursor === undefined ? undefined : Number(query.cursor),
      limit: query.limit,
    });
    const last = cards.at(-1);
    return {
      questions: await this.#views(cards),
      nextCursor: hasMore && last ? String(last.seq) : null,
    };
  }

  /** The cards that people of a project see now; the caller has checked who may see the project. */
  async pendingOf(projectId: string): Promise<Question[]> {
    return this.#views(await new QuestionQueries(this.#deps.database.db).pendingOf(projectId));
  }

  /** The current state of cards, by id, for streams; those that still queue are absent. */
  async byIds(toolUseIds: readonly string[]): Promise<Map<string, Question>> {
    const cards = await new QuestionQueries(this.#deps.database.db).findMany(toolUseIds);
    const shown = [...cards.values()].filter(({ shownAt }) => shownAt !== null);
    return new Map((await this.#views(shown)).map((view) => [view.toolUseId, view]));
  }

  /**
   * The first valid answer is stored. 404 question_not_found, 403, 400 invalid_answer, 409
   * question_already_answered: the last also after a time-out.
   */
  async answer(person: Person, toolUseId: string, input: unknown): Promise<Question> {
    const found = await this.#desk.visible(person, toolUseId);
    requireWriter(person);
    const answers = readAnswers(found.questions, input);
    if (!answers.ok) throw new AppError('invalid_answer', answers.refusal);
    const given = { answers: answers.value, answeredBy: person.id };
    const isAnswered = await this.#desk.decide(found, person, (tx, card, now) =>
      applyQuestionCommand(tx, card, { type: 'answer' }, now, given),
    );
    const card = await this.#desk.existing(toolUseId);
    if (!isAnswered) throw alreadyAnswered(card);
    return toView(card, await this.#desk.timeoutMs());
  }

  /** Whether any card waits for an answer: in one chat, or in all projects of this person. */
  isAnyPending(person: Person, chat?: { projectId: string; agentId: string }): Promise<boolean> {
    return new QuestionQueries(this.#deps.database.db).isAnyPending(
      person.accessLevel === 'owner' ? null : person.id,
      chat,
    );
  }

  /** Cards whose time may be over, the oldest first, after the position `after`: for the sweeper. */
  due(page: { after: DueCard | null; limit: number }): Promise<DueCard[]> {
    return this.#desk.due(page);
  }

  /**
   * Times the card out if nobody answered in time, cancels it if no session took it over. True when it did.
   */
  expireOrCancel(toolUseId: string): Promise<boolean> {
    return this.#desk.expireOrCancel(toolUseId);
  }

  async #views(cards: readonly QuestionRecord[]): Promise<Question[]> {
    const timeoutMs = await this.#desk.timeoutMs();
    return cards.map((card) => toView(card, timeoutMs));
  }
}

function toView(card: QuestionRecord, timeoutMs: number): Question {
  const expires = card.state === 'pending' ? expiresAt(card, timeoutMs) : null;
  return {
    toolUseId: card.toolUseId,
    projectId: card.projectId,
    agentId: card.agentId,
    questions: [...card.questions],
    status: card.state,
    ...(card.answers !== null && { answers: card.answers }),
    ...(card.answeredBy !== null && { answeredBy: card.answeredBy }),
    ...(card.answeredByName !== null && { answeredByName: card.answeredByName }),
    createdAt: card.createdAt.toISOString(),
    ...(expires !== null && { expiresAt: expires.toISOString() }),
    ...(card.resolvedAt !== null && { resolvedAt: card.resolvedAt.toISOString() }),
    ...(card.cancelReason !== null && { cancelReason: card.cancelReason }),
  };
}

function toOutcome(card: QuestionRecord): QuestionOutcome {
  const { toolUseId, state: status, answers } = card;
  return {
    toolUseId,
    status,
    ...(answers !== null && { answers: labelAnswers(card.questions, answers) }),
  };
}

function alreadyAnswered({ state, cancelReason, answeredBy }: QuestionRecord): AppError {
  const what =
    state === 'answered'
      ? 'Somebody has answered this question already.'
      : state === 'timeout'
        ? 'This question has timed out: the agent went on without an answer.'
        : 'This question was cancelled: nobody waits for an answer any more.';
  return new AppError('question_already_answered', what, {
    details: {
      status: state,
      ...(answeredBy !== null && { answeredBy }),
      ...(cancelReason !== null && { reason: cancelReason }),
    },
  });
}
