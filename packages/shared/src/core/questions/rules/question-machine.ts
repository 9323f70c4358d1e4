import type { Decision } from '../../rules/decision.ts';
import { unreachable } from '../../rules/unreachable.ts';
import type { QuestionState } from './question-states.ts';

/*
 *            answer (a person, the first valid one) · follow (the card that it waits with was answered)
 *          ┌─────────────────────────────────────────▶ answered
 *  pending ┼─ expire (shown for the whole time-out) ─▶ timeout
 *          └─ cancel · orphaned for a minute ────────▶ cancelled
 *
 * Every arrow leaves `pending`, and none returns: what became of a card never changes.
 */
export const CANCEL_REASONS = ['stopped_by_person', 'session_ended', 'agent_gone', 'went_away'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** How long a card waits for a session that takes it over, when its own session ended unexpectedly. */
export const ORPHAN_MS = 60_000;

export interface QuestionSnapshot {
  readonly state: QuestionState;
  /** Since when people see it; null while it queues. */
  readonly shownAt: Date | null;
  readonly orphanedAt: Date | null;
  readonly acknowledgedAt: Date | null;
  /** A card of the system: no session waits for it, so it has no time-out. */
  readonly isOfSystem: boolean;
}

export type QuestionCommand =
  /** `open`: whether another card of its session is shown now. */
  | { readonly type: 'show'; readonly open: boolean }
  | { readonly type: 'answer' }
  /** The card that it follows was answered. */
  | { readonly type: 'follow' }
  /** 0: never. */
  | { readonly type: 'expire'; readonly timeoutMs: number }
  | { readonly type: 'cancel'; readonly reason: CancelReason }
  | { readonly type: 'orphan' }
  /** A later session of the agent asks the same. */
  | { readonly type: 'claim'; readonly sessionId: string }
  | { readonly type: 'orphan_over' };

export type QuestionChange =
  | { readonly to: 'shown' }
  | { readonly to: 'answered' }
  | { readonly to: 'timeout' }
  | { readonly to: 'cancelled'; readonly reason: CancelReason }
  | { readonly to: 'orphaned' }
  | { readonly to: 'claimed'; readonly sessionId: string };

export type QuestionRefusal =
  | 'already_resolved'
  | 'not_shown'
  | 'not_due'
  | 'another_is_open'
  | 'not_orphaned'
  | 'nothing_to_do';

const refuse = (refusal: QuestionRefusal): Decision<QuestionChange, QuestionRefusal> => ({
  ok: false,
  refusal,
});
const change = (value: QuestionChange): Decision<QuestionChange, QuestionRefusal> => ({ ok: true, value });

/** The rules of domain.md "Question"; pure, `now` is read after the row lock. */
export function decideQuestion(
  card: QuestionSnapshot,
  command: QuestionCommand,
  now: Date,
): Decision<QuestionChange, QuestionRefusal> {
  switch (command.type) {
    // Results that a session had not acknowledged when it ended belong to its successor, like its open cards.
    case 'orphan':
      if (card.acknowledgedAt !== null || card.orphanedAt !== null) return refuse('nothing_to_do');
      return card.state === 'pending' || card.state === 'answered'
        ? change({ to: 'orphaned' })
        : refuse('already_resolved');
    case 'claim':
      return card.orphanedAt !== null && card.acknowledgedAt === null
        ? change({ to: 'claimed', sessionId: command.sessionId })
        : refuse('not_orphaned');
    case 'show':
    case 'answer':
    case 'follow':
    case 'expire':
    case 'cancel':
    case 'orphan_over':
      return card.state === 'pending' ? decidePending(card, command, now) : refuse('already_resolved');
    default:
      return unreachable(command);
  }
}

function decidePending(
  card: QuestionSnapshot,
  command: Exclude<QuestionCommand, { type: 'orphan' | 'claim' }>,
  now: Date,
): Decision<QuestionChange, QuestionRefusal> {
  switch (command.type) {
    case 'show':
      if (card.shownAt !== null) return refuse('nothing_to_do');
      return command.open ? refuse('another_is_open') : change({ to: 'shown' });
    case 'answer':
      return card.shownAt === null ? refuse('not_shown') : change({ to: 'answered' });
    case 'follow':
      return card.shownAt === null ? change({ to: 'answered' }) : refuse('nothing_to_do');
    case 'expire': {
      const at = expiresAt(card, command.timeoutMs);
      return at !== null && at <= now ? change({ to: 'timeout' }) : refuse('not_due');
    }
    case 'cancel':
      return change({ to: 'cancelled', reason: command.reason });
    case 'orphan_over':
      return card.orphanedAt !== null && now.getTime() - card.orphanedAt.getTime() >= ORPHAN_MS
        ? change({ to: 'cancelled', reason: 'agent_gone' })
        : refuse('not_due');
    default:
      return unreachable(command);
  }
}

/**
 * The time-out belongs to the card that people see, and follows the setting; null: it waits without limit.
 */
export function expiresAt(
  card: Pick<QuestionSnapshot, 'shownAt' | 'isOfSystem'>,
  timeoutMs: number,
): Date | null {
  if (card.shownAt === null || card.isOfSystem || timeoutMs === 0) return null;
  return new Date(card.shownAt.getTime() + timeoutMs);
}
