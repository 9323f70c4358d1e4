import { isBusy, type SessionEnd, type SessionState, type SessionWork } from './session-machine.ts';

export interface SessionView {
  readonly state: SessionState;
  readonly end: SessionEnd | null;
  readonly lastActivityAt: Date;
  readonly work: SessionWork;
  /** A card that was answered, timed out or cancelled, and of which it has not heard. */
  readonly resolvedQuestion: string | null;
}

export type NextAction =
  | { readonly kind: 'exit'; readonly reason: string }
  | { readonly kind: 'logout'; readonly reason: string }
  | { readonly kind: 'get_pending_messages' }
  | { readonly kind: 'question_resolved'; readonly toolUseId: string }
  | { readonly kind: 'wait' };

/** `idle` asks for a transition first; everything else can be told as it stands. */
export type NextStep = NextAction | { readonly kind: 'idle' };

/**
 * The first thing that is true for a session (contract §5, get_next_action). Ends by a person or the system come
 * before messages, idleness comes after them (trap 5).
 */
export function decideNextStep(view: SessionView, now: Date, idleTimeoutMs: number): NextStep {
  if (view.state !== 'active') return ending(view.end);
  if (view.work.unread) return { kind: 'get_pending_messages' };
  if (view.resolvedQuestion !== null) return { kind: 'question_resolved', toolUseId: view.resolvedQuestion };
  const idleForMs = now.getTime() - view.lastActivityAt.getTime();
  if (!isBusy(view.work) && idleForMs >= idleTimeoutMs) return { kind: 'idle' };
  return { kind: 'wait' };
}

function ending(end: SessionEnd | null): NextAction {
  // An ended session without a recorded end finished by itself (its process went, or it logged out).
  if (end === null) return { kind: 'logout', reason: 'session_timeout' };
  return { kind: end.action, reason: end.reason };
}
