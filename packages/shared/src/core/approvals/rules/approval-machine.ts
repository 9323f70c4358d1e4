import {
  type CardChange,
  type CardCommand,
  type CardRefusal,
  type CardSnapshot,
  decideCard,
  hasOutcome,
  isOrphanOver,
} from '../../cards/rules/card-machine.ts';
import type { Decision } from '../../rules/decision.ts';
import { type ApprovalDecision, type ApprovalState, STATE_OF_DECISION } from './approval-states.ts';

/*
 *            decide (a person, the first decision)
 *          ┌─────────────────────────────────────────▶ allowed_once · allowed_session · denied
 *  pending ┴─ expire · cancel · orphan_over: those of every card (cards/rules/card-machine.ts)
 *
 * What the policy of the project decides is stored as decided and was never pending (permission-policy.ts).
 */
export interface ApprovalSnapshot extends CardSnapshot {
  readonly state: ApprovalState;
  /** A response with the decision was made: it may be used, whether it arrived or not. */
  readonly offeredAt: Date | null;
  /** Its session was given the decision without having asked for it. */
  readonly inheritedAt: Date | null;
  readonly resolvedAt: Date | null;
}

/**
 * How long a decision counts for a session that has not asked for it: its turn has to come to where the one before it
 * was. What is asked later may be about another state of the world, for instance `git push` of other commits.
 */
export const INHERITED_MS = 15 * 60_000;

export type ApprovalCommand = CardCommand | { readonly type: 'decide'; readonly decision: ApprovalDecision };

export type ApprovalChange =
  | CardChange
  | { readonly to: (typeof STATE_OF_DECISION)[ApprovalDecision] }
  /** No session took the decision over in time: none will hear it. */
  | { readonly to: 'dropped' };

export type ApprovalRefusal = CardRefusal | 'too_late';

/** The rules of SPEC.md; pure, `now` is read after the row lock. */
export function decideApproval(
  approval: ApprovalSnapshot,
  command: ApprovalCommand,
  now: Date,
): Decision<ApprovalChange, ApprovalRefusal> {
  if (command.type === 'decide')
    return approval.state === 'pending'
      ? { ok: true, value: { to: STATE_OF_DECISION[command.decision] } }
      : { ok: false, refusal: 'already_resolved' };
  if (!hasOutcome(approval)) return decideCard(approval, command, now);
  // A permission is for the work that asked for it: later work asks again.
  const isOver = isOrphanOver(approval, now) || isInheritedOver(approval, now);
  if (command.type === 'claim' && isOver) return { ok: false, refusal: 'too_late' };
  if (command.type === 'orphan_over' && isOver) return { ok: true, value: { to: 'dropped' } };
  // What was offered may have been used by the session that has ended: its successor asks again.
  return decideCard(
    { ...approval, acknowledgedAt: approval.acknowledgedAt ?? approval.offeredAt },
    command,
    now,
  );
}

/** Its session, and those before it, have not asked for it in time. */
export function isInheritedOver(
  { inheritedAt, offeredAt, resolvedAt }: Pick<ApprovalSnapshot, 'inheritedAt' | 'offeredAt' | 'resolvedAt'>,
  now: Date,
): boolean {
  const isUnheard = inheritedAt !== null && offeredAt === null && resolvedAt !== null;
  return isUnheard && now.getTime() - resolvedAt.getTime() >= INHERITED_MS;
}
