import type { Decision } from '../../rules/decision.ts';
import { unreachable } from '../../rules/unreachable.ts';

/*
 * What question cards and approvals have in common. Each has outcomes of its own, which only a person gives
 * (or, for an approval, the policy of the project); these are the ways to get none:
 *
 *  pending ┬─ expire (shown for the whole time-out) ─▶ timeout
 *          └─ cancel · orphaned for a minute ────────▶ cancelled
 *
 * Every arrow leaves `pending`, and none returns: what became of a card never changes.
 */
export const CANCEL_REASONS = [
  'stopped_by_person',
  'session_ended',
  'agent_gone',
  'went_away',
  'turn_failed',
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** How long a card waits for a session that takes it over, when its own session ended unexpectedly. */
export const ORPHAN_MS = 60_000;

/** No outcome that a person has given. */
const WITHOUT_OUTCOME = ['pending', 'timeout', 'cancelled'] as const;

export interface CardSnapshot {
  /** One of WITHOUT_OUTCOME, or an outcome. */
  readonly state: string;
  /** Since when people see it; null while it queues. */
  readonly shownAt: Date | null;
  readonly orphanedAt: Date | null;
  readonly acknowledgedAt: Date | null;
  /** A card of the system: no session waits for it, so it has no time-out. */
  readonly isOfSystem: boolean;
}

/** The commands that every card knows. */
export type CardCommand =
  /** 0: never. */
  | { readonly type: 'expire'; readonly timeoutMs: number }
  | { readonly type: 'cancel'; readonly reason: CancelReason }
  | { readonly type: 'orphan' }
  /** A later session of the agent asks the same, or is given what was decided (`isAsked` false). */
  | { readonly type: 'claim'; readonly sessionId: string; readonly isAsked: boolean }
  | { readonly type: 'orphan_over' };

export type CardChange =
  | { readonly to: 'timeout' }
  | { readonly to: 'cancelled'; readonly reason: CancelReason }
  | { readonly to: 'orphaned' }
  | { readonly to: 'claimed'; readonly sessionId: string; readonly isAsked: boolean };

export type CardRefusal = 'already_resolved' | 'not_due' | 'not_orphaned' | 'nothing_to_do';

const refuse = (refusal: CardRefusal): Decision<CardChange, CardRefusal> => ({ ok: false, refusal });
const change = (value: CardChange): Decision<CardChange, CardRefusal> => ({ ok: true, value });

/** A person, or a policy, has decided. */
export function hasOutcome({ state }: Pick<CardSnapshot, 'state'>): boolean {
  return !WITHOUT_OUTCOME.some((none) => none === state);
}

/** The transitions; pure, `now` is read after the row lock. */
export function decideCard(
  card: CardSnapshot,
  command: CardCommand,
  now: Date,
): Decision<CardChange, CardRefusal> {
  const isPending = card.state === 'pending';
  switch (command.type) {
    // Results that a session had not acknowledged when it ended belong to its successor, like its open cards.
    case 'orphan':
      if (card.acknowledgedAt !== null || card.orphanedAt !== null) return refuse('nothing_to_do');
      return isPending || hasOutcome(card) ? change({ to: 'orphaned' }) : refuse('already_resolved');
    case 'claim':
      return card.orphanedAt !== null && card.acknowledgedAt === null
        ? change({ to: 'claimed', sessionId: command.sessionId, isAsked: command.isAsked })
        : refuse('not_orphaned');
    case 'expire': {
      if (!isPending) return refuse('already_resolved');
      const at = expiresAt(card, command.timeoutMs);
      return at !== null && at <= now ? change({ to: 'timeout' }) : refuse('not_due');
    }
    case 'cancel':
      return isPending ? change({ to: 'cancelled', reason: command.reason }) : refuse('already_resolved');
    case 'orphan_over':
      if (!isPending) return refuse('already_resolved');
      return isOrphanOver(card, now) ? change({ to: 'cancelled', reason: 'agent_gone' }) : refuse('not_due');
    default:
      return unreachable(command);
  }
}

/** No session has taken it over in time. */
export function isOrphanOver({ orphanedAt }: Pick<CardSnapshot, 'orphanedAt'>, now: Date): boolean {
  return orphanedAt !== null && now.getTime() - orphanedAt.getTime() >= ORPHAN_MS;
}

/**
 * The time-out belongs to the card that people see, and follows the setting; null: it waits without limit.
 */
export function expiresAt(
  card: Pick<CardSnapshot, 'shownAt' | 'isOfSystem'>,
  timeoutMs: number,
): Date | null {
  if (card.shownAt === null || card.isOfSystem || timeoutMs === 0) return null;
  return new Date(card.shownAt.getTime() + timeoutMs);
}
