import type { Answers, QuestionItem } from '../../contract/question.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { CardKind } from '../cards/card-kind.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { noteActivityOfActive } from '../sessions/activity-queries.ts';
import { fingerprintOf } from './question-fingerprint.ts';
import { QuestionQueries, type QuestionRecord } from './question-queries.ts';
import { decideQuestion, type QuestionChange, type QuestionCommand } from './rules/question-machine.ts';

/*
 * The state changes of question cards. Every function runs inside the caller's transaction with the membership
 * locked first; a card is locked after its session.
 */

/**
 * Applies one command to a locked card. Null when the rules refused it, or another transaction was faster.
 */
export async function applyQuestionCommand(
  tx: Tx,
  card: QuestionRecord,
  command: QuestionCommand,
  now: Date,
  given?: { answers: Answers; answeredBy: string },
): Promise<QuestionChange | null> {
  const decision = decideQuestion(card, command, now);
  if (!decision.ok) return null;
  const change = decision.value;
  const questions = new QuestionQueries(tx.db);
  switch (change.to) {
    case 'shown':
      await questions.setShown(card.toolUseId, now);
      break;
    case 'orphaned':
      await questions.setOrphaned(card.toolUseId, now);
      return change;
    case 'claimed':
      await questions.setSession(card.toolUseId, { ...change, now });
      if (card.state === 'pending') await showNextOfMembership(tx, card, now);
      return change;
    default:
      if (!(await questions.setResolved(card.toolUseId, { ...given, ...outcomeOf(change), now })))
        return null;
  }
  await tellQuestion(tx, card);
  if (change.to === 'shown') return change;
  if (card.sessionId !== null) await settleSession(tx, card.sessionId, now);
  if (card.orphanedAt !== null) await showNextOfMembership(tx, card, now);
  return change;
}

/**
 * A card of a session that has ended may stand before people, while one that was queued behind it was claimed by the next
 * session: that one is shown when the first is over.
 */
async function showNextOfMembership(tx: Tx, membership: MembershipKey, now: Date): Promise<void> {
  const pending = await new QuestionQueries(tx.db).lockPending(membership);
  if (pending.some(({ shownAt, orphanedAt }) => shownAt !== null && orphanedAt !== null)) return;
  const bySession = Map.groupBy(
    pending.filter(({ orphanedAt }) => orphanedAt === null),
    ({ sessionId }) => sessionId,
  );
  for (const cards of bySession.values()) {
    const open = cards.some(({ shownAt }) => shownAt !== null);
    const next = cards.find(({ shownAt }) => shownAt === null);
    if (next) await applyQuestionCommand(tx, next, { type: 'show', open }, now);
  }
}

function outcomeOf(change: Extract<QuestionChange, { to: 'answered' | 'timeout' | 'cancelled' }>) {
  return change.to === 'cancelled' ? { state: change.to, cancelReason: change.reason } : { state: change.to };
}

/** The page, the held calls of the membership and the agent's status check again. */
export async function tellQuestion(
  tx: Tx,
  card: MembershipKey & { readonly toolUseId: string },
): Promise<void> {
  const { projectId, agentId, toolUseId } = card;
  await appendChangeEvents(tx, [
    { kind: 'question', projectId, ref: { toolUseId } },
    { kind: 'session', projectId, ref: { agentId } },
  ]);
  tx.dirty(keys.membership(projectId, agentId));
}

/** What became of a card counts as activity of its session, and the next queued card is shown. */
async function settleSession(tx: Tx, sessionId: string, now: Date): Promise<void> {
  await noteActivityOfActive(tx.db, sessionId, now);
  const cards = await new QuestionQueries(tx.db).lockOfSession(sessionId);
  const open = cards.some((card) => card.state === 'pending' && card.shownAt !== null);
  const next = cards.find((card) => card.state === 'pending' && card.shownAt === null);
  if (next) await applyQuestionCommand(tx, next, { type: 'show', open }, now);
}

export const QUESTION_CARDS: CardKind<QuestionRecord> = {
  queries: (db) => new QuestionQueries(db),
  apply: applyQuestionCommand,
  mayTakeOver: async (tx, card, sessionId) => {
    if (card.state !== 'pending') return true;
    const cards = await new QuestionQueries(tx.db).lockOfSession(sessionId);
    return !cards.some(({ state, shownAt }) => state === 'pending' && shownAt !== null);
  },
  notFound: (sentence = 'There is no such question, or you are not a member of its project.') =>
    new AppError('question_not_found', sentence),
};

/**
 * A card of the system itself, for instance "this chain has reached its limit: go on?". Call it inside a
 * transaction that has locked the membership; while a card about the same subject is open, that one is used.
 * It has no time-out, and is cancelled when the membership is removed. `QuestionQueries.findAbout` reads its
 * answer; cards that follow it get the same.
 */
export async function openCard(
  tx: Tx,
  card: MembershipKey & { readonly about: string; readonly questions: readonly QuestionItem[] },
  now: Date,
): Promise<{ toolUseId: string }> {
  const questions = new QuestionQueries(tx.db);
  const open = await questions.findAbout(card.about);
  if (open?.state === 'pending') return { toolUseId: open.toolUseId };
  const toolUseId = newId('toolu');
  await questions.insert({
    ...card,
    toolUseId,
    sessionId: null,
    fingerprint: fingerprintOf(card.questions),
    createdAt: now,
    shownAt: now,
  });
  await tellQuestion(tx, { ...card, toolUseId });
  return { toolUseId };
}
