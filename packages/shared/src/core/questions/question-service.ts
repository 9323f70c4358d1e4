import type { ListQuestionsQuery, Question, QuestionPage } from '../../contract/question.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { type AskInput, QuestionAsking } from './ask-question.ts';
import { applyQuestionCommand } from './question-lifecycle.ts';
import { type DueQuestion, QuestionQueries, type QuestionRecord } from './question-queries.ts';
import { giveToSuccessor } from './question-successor.ts';
import { labelAnswers, readAnswers } from './rules/answers.ts';
import { expiresAt, ORPHAN_MS } from './rules/question-machine.ts';

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

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#asking = new QuestionAsking(deps);
  }

  /** Stores the card unless it exists (same id, or the same questions), and returns its state. */
  async ask(caller: AgentCaller, input: AskInput): Promise<QuestionOutcome> {
    const asked = await this.#asking.ask(caller, input);
    if (asked.status !== 'stands') return asked;
    const outcome = (await this.outcomes([asked.toolUseId])).get(asked.toolUseId);
    if (!outcome) throw new Error('a stored card is gone');
    return outcome;
  }

  /** Whether a session may ask at all; null when no session or start has this bearer. */
  mayAsk(bearer: string): Promise<boolean | null> {
    return this.#asking.mayAskByBearer(bearer);
  }

  /** The state of these cards; one whose time is over times out now, independent of the sweeper. */
  async outcomes(toolUseIds: readonly string[]): Promise<Map<string, QuestionOutcome>> {
    const cards = await this.#fresh(toolUseIds);
    return new Map([...cards].map(([id, card]) => [id, toOutcome(card)]));
  }

  /**
   * Records that the result of a card is about to be offered; `repeat` when an earlier offer was not
   * acknowledged.
   */
  async offer(toolUseId: string): Promise<QuestionOutcome & { repeat: boolean }> {
    const questions = new QuestionQueries(this.#deps.database.db);
    const card = await questions.find(toolUseId);
    if (!card) throw questionNotFound();
    await questions.setOffered(toolUseId, this.#deps.clock.now());
    return { ...toOutcome(card), repeat: card.offeredAt !== null };
  }

  /** The response that offered it was written to a live connection. Idempotent. */
  async acknowledged(sessionId: string, toolUseIds: readonly string[]): Promise<void> {
    if (toolUseIds.length > 0)
      await new QuestionQueries(this.#deps.database.db).setAcknowledged(
        toolUseIds,
        sessionId,
        this.#deps.clock.now(),
      );
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
    const found = await this.#visible(person, toolUseId);
    requireWriter(person);
    const answers = readAnswers(found.questions, input);
    if (!answers.ok) throw new AppError('invalid_answer', answers.refusal);
    const timeoutMs = await this.#timeoutMs();
    const isAnswered = await this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      await sessions.lockMembership(found.projectId, found.agentId);
      const card = await new QuestionQueries(tx.db).lock(toolUseId);
      if (!card) return false;
      const now = await tx.now();
      // The sweeper has not come yet: the card times out first, and a late answer is refused.
      if (await applyQuestionCommand(tx, card, { type: 'expire', timeoutMs }, now)) return false;
      const given = { answers: answers.value, answeredBy: person.id };
      if (!(await applyQuestionCommand(tx, card, { type: 'answer' }, now, given))) return false;
      if (card.orphanedAt !== null) await giveToSuccessor(tx, card, { answeredBy: person.id, now });
      return true;
    });
    const card = await new QuestionQueries(this.#deps.database.db).find(toolUseId);
    if (!card) throw questionNotFound();
    if (!isAnswered) throw alreadyAnswered(card);
    return toView(card, timeoutMs);
  }

  /** Whether any card waits for an answer: in one chat, or in all projects of this person. */
  isAnyPending(person: Person, chat?: { projectId: string; agentId: string }): Promise<boolean> {
    return new QuestionQueries(this.#deps.database.db).isAnyPending(
      person.accessLevel === 'owner' ? null : person.id,
      chat,
    );
  }

  /** Cards whose time may be over, the oldest first, after the position `after`: for the sweeper. */
  async due(page: { after: DueQuestion | null; limit: number }): Promise<DueQuestion[]> {
    const now = this.#deps.clock.now().getTime();
    const timeoutMs = await this.#timeoutMs();
    return new QuestionQueries(this.#deps.database.db).due({
      ...page,
      shownBefore: timeoutMs === 0 ? null : new Date(now - timeoutMs),
      orphanedBefore: new Date(now - ORPHAN_MS),
    });
  }

  async #fresh(toolUseIds: readonly string[]): Promise<Map<string, QuestionRecord>> {
    const questions = new QuestionQueries(this.#deps.database.db);
    const cards = await questions.findMany(toolUseIds);
    const timeoutMs = await this.#timeoutMs();
    const now = this.#deps.clock.now();
    for (const card of cards.values()) {
      const at = card.state === 'pending' ? expiresAt(card, timeoutMs) : null;
      if (at === null || at > now) continue;
      await this.settleInTime(card.toolUseId);
      const settled = await questions.find(card.toolUseId);
      if (settled) cards.set(card.toolUseId, settled);
    }
    return cards;
  }

  /**
   * Times the card out if nobody answered in time, cancels it if no session took it over. True when it did.
   */
  async settleInTime(toolUseId: string): Promise<boolean> {
    const timeoutMs = await this.#timeoutMs();
    const found = await new QuestionQueries(this.#deps.database.db).find(toolUseId);
    if (!found) return false;
    return this.#deps.database.transaction(async (tx) => {
      await new SessionQueries(tx.db).lockMembership(found.projectId, found.agentId);
      const card = await new QuestionQueries(tx.db).lock(toolUseId);
      if (!card) return false;
      const now = await tx.now();
      const change =
        (await applyQuestionCommand(tx, card, { type: 'expire', timeoutMs }, now)) ??
        (await applyQuestionCommand(tx, card, { type: 'orphan_over' }, now));
      return change !== null;
    });
  }

  /** For a person who may not see its project, and while it queues, the card does not exist. */
  async #visible(person: Person, toolUseId: string): Promise<QuestionRecord> {
    const { db } = this.#deps.database;
    const card = await new QuestionQueries(db).find(toolUseId);
    if (!card || card.shownAt === null) throw questionNotFound();
    try {
      await requireMember(db, person, card.projectId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'project_not_found') throw questionNotFound();
      throw error;
    }
    return card;
  }

  async #views(cards: readonly QuestionRecord[]): Promise<Question[]> {
    const timeoutMs = await this.#timeoutMs();
    return cards.map((card) => toView(card, timeoutMs));
  }

  async #timeoutMs(): Promise<number> {
    return (await this.#deps.settings.current()).questionTimeoutSeconds * 1_000;
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

function questionNotFound(): AppError {
  return new AppError(
    'question_not_found',
    'There is no such question, or you are not a member of its project.',
  );
}

function alreadyAnswered({ state, cancelReason }: QuestionRecord): AppError {
  const what =
    state === 'answered'
      ? 'Somebody has answered this question already.'
      : state === 'timeout'
        ? 'This question has timed out: the agent went on without an answer.'
        : 'This question was cancelled: nobody waits for an answer any more.';
  return new AppError('question_already_answered', what, {
    details: { status: state, ...(cancelReason !== null && { reason: cancelReason }) },
  });
}
