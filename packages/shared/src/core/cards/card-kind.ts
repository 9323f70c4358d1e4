import type { Queryable, Tx } from '../../platform/db/database.ts';
import type { AppError } from '../../platform/errors.ts';
import { isSameWork, type MembershipKey, type WorkKey } from '../rules/work-key.ts';
import type { CardRecord, CardStore } from './card-queries.ts';
import { type CancelReason, type CardCommand, hasOutcome } from './rules/card-machine.ts';

/** What the code for all cards has to know of question cards, and of approvals. */
export interface CardKind<Card extends CardRecord> {
  queries(db: Queryable): CardStore<Card>;
  /**
   * Applies one command to a locked card. Null when the rules refused it, or another transaction was faster.
   */
  apply(tx: Tx, card: Card, command: CardCommand, now: Date): Promise<{ readonly to: string } | null>;
  /** Whether the session may take over this card, besides the cards that it has. The membership is locked. */
  mayTakeOver(tx: Tx, card: Card, sessionId: string): Promise<boolean>;
  /** Without a sentence: it does not exist, or the caller may not see it. */
  notFound(sentence?: string): AppError;
}

/*
 * The functions below run inside the caller's transaction with the membership locked first; a card is locked
 * after its session.
 */

/** A session was asked to leave, leaves by itself, or was stopped: it does not wait for answers any more. */
export async function cancelOfSession<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  of: { readonly sessionId: string; readonly reason: CancelReason; readonly now: Date },
): Promise<void> {
  await cancelAll(tx, kind, await kind.queries(tx.db).lockOfSession(of.sessionId), of);
}

/** A person stops the agent's work in a chat: the open cards of its live session are cancelled. */
export async function cancelOfChat<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  membership: MembershipKey,
  now: Date,
): Promise<void> {
  const cards = await kind.queries(tx.db).lockOfMembership(membership);
  const asked = cards.filter(
    ({ isOfSystem, orphanedAt, purpose }) => !isOfSystem && orphanedAt === null && purpose === 'chat',
  );
  await cancelAll(tx, kind, asked, { reason: 'stopped_by_person', now });
}

/** The membership is removed: every open card is cancelled, those of the system too. */
export async function cancelOfMembership<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  membership: MembershipKey,
  now: Date,
): Promise<void> {
  const cards = await kind.queries(tx.db).lockOfMembership(membership);
  await cancelAll(tx, kind, cards, { reason: 'went_away', now });
}

async function cancelAll<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  cards: readonly Card[],
  { reason, now }: { readonly reason: CancelReason; readonly now: Date },
): Promise<void> {
  // The last comes first: otherwise each cancelled card would show the next.
  for (const card of cards.toReversed()) await kind.apply(tx, card, { type: 'cancel', reason }, now);
}

/**
 * A session has ended: its cards wait a minute for a session that takes them over, or are cancelled. Nobody
 * will be told of the others.
 */
export async function leaveCardsOf<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  of: { readonly sessionId: string; readonly hasSuccessor: boolean; readonly now: Date },
): Promise<void> {
  const { sessionId, hasSuccessor, now } = of;
  const cards = kind.queries(tx.db);
  if (hasSuccessor)
    for (const card of await cards.lockOfSession(sessionId))
      await kind.apply(tx, card, { type: 'orphan' }, now);
  else await cancelOfSession(tx, kind, { sessionId, reason: 'session_ended', now });
  await cards.setNobodyHears(sessionId, now);
}

/**
 * What people decided after an earlier session for this work had ended is given to the session that begins
 * now. True: there was any.
 */
export async function adoptDecided<Card extends CardRecord>(
  tx: Tx,
  kind: CardKind<Card>,
  key: WorkKey,
  { sessionId, now }: { readonly sessionId: string; readonly now: Date },
): Promise<boolean> {
  let isAny = false;
  for (const card of await kind.queries(tx.db).lockOfMembership(key))
    if (
      hasOutcome(card) &&
      isSameWork(card, key) &&
      (await kind.apply(tx, card, { type: 'claim', sessionId, isAsked: false }, now))
    )
      isAny = true;
  return isAny;
}
