import type { Tx } from '../../platform/db/database.ts';
import { APPROVAL_CARDS } from '../approvals/approval-lifecycle.ts';
import { QUESTION_CARDS } from '../questions/question-lifecycle.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { cancelOfChat, cancelOfMembership, cancelOfSession, leaveCardsOf } from './card-kind.ts';
import type { CancelReason } from './rules/card-machine.ts';

/*
 * The ends of what sessions wait for, for question cards and approvals alike. Every function runs inside the
 * caller's transaction with the membership locked first.
 */

/** A session was asked to leave, or was stopped: nobody answers it any more. */
export async function cancelCardsOfSession(
  tx: Tx,
  sessionId: string,
  reason: CancelReason,
  now: Date,
): Promise<void> {
  await cancelOfSession(tx, QUESTION_CARDS, { sessionId, reason, now });
  await cancelOfSession(tx, APPROVAL_CARDS, { sessionId, reason, now });
}

/** A person stops the agent's work in a chat. */
export async function cancelCardsOfChat(tx: Tx, membership: MembershipKey, now: Date): Promise<void> {
  await cancelOfChat(tx, QUESTION_CARDS, membership, now);
  await cancelOfChat(tx, APPROVAL_CARDS, membership, now);
}

/** The membership is removed. */
export async function cancelCardsOfMembership(tx: Tx, membership: MembershipKey, now: Date): Promise<void> {
  await cancelOfMembership(tx, QUESTION_CARDS, membership, now);
  await cancelOfMembership(tx, APPROVAL_CARDS, membership, now);
}

/**
 * A session has ended. `hasSuccessor`: its end was not requested, so the next session for its work may take
 * over what it waits for; else that is cancelled.
 */
export async function leaveCards(tx: Tx, sessionId: string, hasSuccessor: boolean, now: Date): Promise<void> {
  await leaveCardsOf(tx, QUESTION_CARDS, { sessionId, hasSuccessor, now });
  await leaveCardsOf(tx, APPROVAL_CARDS, { sessionId, hasSuccessor, now });
}
