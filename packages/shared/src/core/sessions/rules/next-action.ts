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
  /**
   * The agent has used its tokens of today: nothing new is given to it. `refused`: what waits for it has been
   * refused, except what belongs to the running turn.
   */
  readonly tokenLimit: 'reached' | 'refused' | null;
  /** The project in whose folder another agent works: what is unread waits for that. Null: nothing waits for it. */
  readonly withheldIn: string | null;
  /**
   * A card that a person has decided, that timed out or was cancelled, and whose result it has not
   * acknowledged; the first one, an inherited one only if there is no other.
   */
  readonly resolvedCard: ResolvedCard | null;
  /** It is a session for a task. */
  readonly hasTask: boolean;
  /** A program works through its messages turn by turn, and has said that it names receipts. */
  readonly usesReceipts: boolean;
  /** The task of the session, until it has acknowledged that it was told to work on it. */
  readonly taskToTell: string | null;
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

/** A question card or an approval. */
export interface ResolvedCard {
  readonly kind: 'question' | 'approval';
  readonly toolUseId: string;
  /**
   * The session was given it without asking, because a person decided after the process that asked had died,
   * and has not been offered the result yet.
   */
  readonly isInherited: boolean;
}

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
  | { readonly kind: 'question_resolved' | 'approval_resolved'; readonly toolUseId: string }
  | { readonly kind: 'work_on_task'; readonly taskId: string }
  /** `folderOf`: messages wait until this session may work in the folder of the project. */
  | { readonly kind: 'wait'; readonly folderOf?: string };

/**
 * `idle`, `conversations` and `over_limit` require a transition first; every other step can be answered
 * directly.
 */
export type NextStep =
  | NextAction
  | { readonly kind: 'idle' }
  | { readonly kind: 'conversations' }
  | { readonly kind: 'over_limit' };

/**
 * The first condition that is true for a session. Ends by a person or the
 * system come before messages, idleness comes after them (trap 5).
 */
export function decideNextStep(view: SessionView, now: Date, idleTimeoutMs: number): NextStep {
  if (view.state !== 'active') return ending(view.end);
  // What waits is refused before it is given, and a conversation before it is joined.
  if (view.tokenLimit === 'reached' && (view.work.unread || view.conversationDue))
    return { kind: 'over_limit' };
  if (view.conversationDue) return { kind: 'conversations' };
  if (view.notice !== null) return { kind: 'conversation', notice: view.notice };
  const card = view.resolvedCard !== null && isTold(view.resolvedCard, view) ? view.resolvedCard : null;
  // The work on a task that waits for it comes first: a program fetches no message before that turn is over.
  if (card !== null && (view.hasTask || !canFetch(view))) return toldCard(card);
  if (canFetch(view)) return { kind: 'get_pending_messages', again: false };
  // While a person is asked, the turn continues.
  if (view.heldAgain && !view.work.openCard) return { kind: 'get_pending_messages', again: true };
  if (view.taskToTell !== null && view.withheldIn === null)
    return { kind: 'work_on_task', taskId: view.taskToTell };
  const idleForMs = now.getTime() - view.lastActivityAt.getTime();
  if (!isBusy(view.work) && !view.work.unread && idleForMs >= idleTimeoutMs) return { kind: 'idle' };
  return view.withheldIn === null ? { kind: 'wait' } : { kind: 'wait', folderOf: view.withheldIn };
}

/**
 * What it inherited waits for a turn that asks for it again, perhaps later: while messages wait for it, while it asks a
 * person something else, or works on its task. Told before, it would be acknowledged before anybody knew what it was
 * about, and the person would be asked twice. The same while it holds messages, if it uses receipts: a program may not
 * have begun the turn; a model that calls by itself reads what it is told here. TOLD_SQL says the same for many sessions.
 */
function isTold(
  { isInherited }: ResolvedCard,
  { hasTask, usesReceipts, work }: Pick<SessionView, 'hasTask' | 'usesReceipts' | 'work'>,
): boolean {
  return !isInherited || !(hasTask || work.openCard || work.unread || (usesReceipts && work.held));
}

/** Messages are unread that it may be given now. */
function canFetch({ work, tokenLimit, withheldIn }: SessionView): boolean {
  return work.unread && tokenLimit === null && withheldIn === null;
}

function toldCard({ kind, toolUseId }: ResolvedCard): NextAction {
  return { kind: `${kind}_resolved`, toolUseId };
}

function ending(end: SessionEnd | null): NextAction {
  // An ended session without a recorded end finished by itself (its process ended, or it logged out).
  if (end === null) return { kind: 'logout', reason: 'session_timeout' };
  return { kind: end.action, reason: end.reason };
}
