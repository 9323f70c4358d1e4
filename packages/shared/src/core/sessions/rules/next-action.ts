import { isBusy, type SessionEnd, type SessionState, type SessionWork } from './session-machine.ts';

export interface SessionView {
  readonly state: SessionState;
  readonly end: SessionEnd | null;
  readonly lastActivityAt: Date;
  readonly work: SessionWork;
  /**
   * It holds messages unanswered, is not in a turn, and was told less than MAX_BATCH_OFFERS times to fetch
   * them again.
   */
  readonly heldAgain: boolean;
  /** A card that was answered, timed out or cancelled, and whose result it has not acknowledged. */
  readonly resolvedQuestion: string | null;
  /** A conversation waits to begin or to be taken over, or its time is over. */
  readonly conversationDue: boolean;
  /** The notice of its conversations that comes first: the ends, then requests, the oldest first. */
  readonly notice: ConversationNotice | null;
}

/**
 * How often a session is told that it can fetch a batch again that it holds unanswered; after that the turn
 * limit decides.
 */
export const MAX_BATCH_OFFERS = 3;

export const CONVERSATION_NOTICES = ['request', 'ended', 'expired'] as const;

export interface ConversationNotice {
  readonly kind: (typeof CONVERSATION_NOTICES)[number];
  readonly conversationId: string;
}

export type NextAction =
  | { readonly kind: 'exit'; readonly reason: string }
  | { readonly kind: 'logout'; readonly reason: string }
  | { readonly kind: 'conversation'; readonly notice: ConversationNotice }
  /** `again`: nothing is new; the session holds messages that it has not answered. */
  | { readonly kind: 'get_pending_messages'; readonly again: boolean }
  | { readonly kind: 'question_resolved'; readonly toolUseId: string }
  | { readonly kind: 'wait' };

/** `idle` and `conversations` require a transition first; every other step can be answered directly. */
export type NextStep = NextAction | { readonly kind: 'idle' } | { readonly kind: 'conversations' };

/**
 * The first condition that is true for a session (contract §5, get_next_action). Ends by a person or the
 * system come before messages, idleness comes after them (trap 5).
 */
export function decideNextStep(view: SessionView, now: Date, idleTimeoutMs: number): NextStep {
  if (view.state !== 'active') return ending(view.end);
  if (view.conversationDue) return { kind: 'conversations' };
  if (view.notice !== null) return { kind: 'conversation', notice: view.notice };
  if (view.work.unread) return { kind: 'get_pending_messages', again: false };
  if (view.resolvedQuestion !== null) return { kind: 'question_resolved', toolUseId: view.resolvedQuestion };
  // While a person is asked, the turn continues.
  if (view.heldAgain && !view.work.openQuestion) return { kind: 'get_pending_messages', again: true };
  const idleForMs = now.getTime() - view.lastActivityAt.getTime();
  if (!isBusy(view.work) && idleForMs >= idleTimeoutMs) return { kind: 'idle' };
  return { kind: 'wait' };
}

function ending(end: SessionEnd | null): NextAction {
  // An ended session without a recorded end finished by itself (its process ended, or it logged out).
  if (end === null) return { kind: 'logout', reason: 'session_timeout' };
  return { kind: end.action, reason: end.reason };
}
