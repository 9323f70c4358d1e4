import type { QuestionItem } from '../../contract/question.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { knownCard } from '../cards/known-card.ts';
import type { ServiceDeps } from '../deps.ts';
import { keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import type { Purpose } from '../rules/work-key.ts';
import { noteActivity } from '../sessions/activity-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { wakeUpOfTicket } from './asker-queries.ts';
import { mayAskNow } from './may-ask.ts';
import { fingerprintOf } from './question-fingerprint.ts';
import { QUESTION_CARDS, tellQuestion } from './question-lifecycle.ts';
import { QuestionQueries } from './question-queries.ts';
import { mayAsk } from './rules/interactive.ts';

export interface AskInput {
  /** Absent: only the state of the card of `toolUseId` is requested. */
  readonly questions?: readonly QuestionItem[] | undefined;
  readonly toolUseId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export type Asked =
  | { readonly status: 'stands'; readonly toolUseId: string }
  /** No card: there is nobody whom it could be shown to, or the session is over. */
  | { readonly status: 'unavailable' | 'cancelled'; readonly toolUseId: string };

/** The maximum of open cards of one session. */
const MAX_WAITING_CARDS = 20;

/** What the list of tools depends on. */
export interface Standing {
  /** Whether a person is there whom it may ask. */
  readonly mayAsk: boolean;
  readonly purpose: Purpose;
}

/** How a card is stored: found again, taken over from a session that has ended, queued, or refused. */
export class QuestionAsking {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  ask(caller: AgentCaller, input: AskInput): Promise<Asked> {
    return this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      await sessions.lockMembership(caller.projectId, caller.agentId);
      const session = await sessions.lockById(caller.sessionId);
      const known = await this.#known(tx, caller, input);
      if (known !== null) return { status: 'stands', toolUseId: known };
      if (input.questions === undefined)
        throw input.toolUseId === undefined
          ? new AppError('invalid_input', 'Give questions, or the tool_use_id of a card that you have asked.')
          : new AppError('question_not_found', 'You have no card with this tool_use_id. Give questions too.');
      const toolUseId = input.toolUseId ?? newId('toolu');
      if (session?.state !== 'active') return { status: 'cancelled', toolUseId };
      if (!(await mayAskNow(tx.db, session))) return { status: 'unavailable', toolUseId };
      await this.#putUp(tx, session, { ...input, questions: input.questions, toolUseId });
      return { status: 'stands', toolUseId };
    });
  }

  /** What a bearer may do; null when no session or start has it. */
  async standing(bearer: string): Promise<Standing | null> {
    const { db } = this.#deps.database;
    const session = await new SessionQueries(db).findByBearer(hashToken(bearer));
    if (session) return { mayAsk: await mayAskNow(db, session), purpose: session.purpose };
    const wakeUp = await wakeUpOfTicket(db, hashToken(bearer));
    if (!wakeUp) return null;
    const { openedBy, purpose } = wakeUp;
    return { mayAsk: mayAsk({ openedBy, heardPerson: false, worksForSchedule: false }), purpose };
  }

  async #known(tx: Tx, caller: AgentCaller, input: AskInput): Promise<string | null> {
    const fingerprint = input.questions === undefined ? null : fingerprintOf(input.questions);
    const id = input.toolUseId ?? null;
    const keptId = await this.#firstId(tx, caller, input.idempotencyKey);
    // Also one that is resolved, until its end has been told: no answer is asked for twice.
    return knownCard(tx, QUESTION_CARDS, caller, { id, keptId, fingerprint, means: async () => true });
  }

  async #putUp(
    tx: Tx,
    session: SessionRecord,
    input: AskInput & { questions: readonly QuestionItem[]; toolUseId: string },
  ): Promise<void> {
    const now = await tx.now();
    const questions = new QuestionQueries(tx.db);
    const waiting = (await questions.lockOfSession(session.id)).filter(({ state }) => state === 'pending');
    if (waiting.length >= MAX_WAITING_CARDS)
      throw new AppError(
        'invalid_input',
        'Too many of your questions are open. Wait for their answers first.',
      );
    const { projectId, agentId } = session;
    const card = { projectId, agentId, toolUseId: input.toolUseId };
    const isMade = await questions.insert({
      ...card,
      sessionId: session.id,
      about: null,
      questions: input.questions,
      fingerprint: fingerprintOf(input.questions),
      createdAt: now,
      // One card at a time: the others follow when it is resolved.
      shownAt: waiting.length === 0 ? now : null,
    });
    if (!isMade)
      throw new AppError('invalid_input', 'This tool_use_id is taken. Leave it out, or take a new one.');
    await noteActivity(tx.db, session.id, now);
    const { toolUseId, idempotencyKey: key } = input;
    await keepResult(tx, { sessionId: session.id }, { tool: 'ask_user_question', key }, { toolUseId });
    await tellQuestion(tx, card);
  }

  async #firstId(tx: Tx, caller: AgentCaller, key: string | undefined): Promise<string | null> {
    return (await keptResult(tx.db, caller, { tool: 'ask_user_question', key }))?.toolUseId ?? null;
  }
}
