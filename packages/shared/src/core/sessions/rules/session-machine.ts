import { unreachable } from '../../rules/unreachable.ts';

/*
 *           end | force | idle | close              logout, process gone, grace over
 *  active ───────────────────────────▶ terminating ──────────────────────────────────▶ ended
 *    ▲                                   │
 *    └────── revive (not acknowledged) ──┘
 *
 * `live` = active, or terminating with an exit that is not acknowledged (trap 1: a lookup that sees only
 * `active`).
 */
export const SESSION_STATES = ['active', 'terminating', 'ended'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

export const EXIT_REASONS = [
  'user_closed_chat',
  'replaced',
  'force_ended',
  'run_stopped',
  'evicted',
  'agent_deleted',
  'project_archived',
  'removed_from_project',
  'new_context',
  'superseded',
  'server_stopping',
  'project_paused',
  // Its task is not its work any more: a person, another agent or its own report has moved it.
  'task_done',
  'task_blocked',
  'task_cancelled',
  'task_reassigned',
] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** How the session learns it: closed by a person or the system → exit; idleness → logout. */
export type SessionEnd = { action: 'exit'; reason: ExitReason } | { action: 'logout'; reason: LogoutReason };

/** Idle, or silent with a message waiting for it. */
export const LOGOUT_REASONS = ['session_timeout', 'session_silent'] as const;
export type LogoutReason = (typeof LOGOUT_REASONS)[number];

export interface SessionSnapshot {
  readonly state: SessionState;
  readonly end: SessionEnd | null;
  readonly acknowledgedAt: Date | null;
  readonly terminatingAt: Date | null;
  readonly closeRequestedAt: Date | null;
  readonly lastActivityAt: Date;
}

/** The facts that keep a session needed: a busy one is never idle, and a close waits for it (trap 20). */
export interface SessionWork {
  readonly unread: boolean;
  readonly held: boolean;
  /** It waits for a person: an answer or a permission. */
  readonly openCard: boolean;
  readonly liveConversation: boolean;
  /**
   * It has not acknowledged yet that one of its conversations ended: a close waits for that, idleness does
   * not.
   */
  readonly unacknowledgedEnd: boolean;
}

/** The facts that decide whether a session has died without a report: all of them read under lock. */
export interface Silence {
  /** Its last call of any tool. */
  readonly lastSeenAt: Date;
  /** A heartbeat is held. */
  readonly inTurn: boolean;
  /** Since when the oldest message that it must fetch has waited; null: none waits. */
  readonly waitingSince: Date | null;
  /** Calls could be received during all of the last `timeoutMs`. */
  readonly couldBeHeard: boolean;
  readonly timeoutMs: number;
}

export type SessionCommand =
  | { type: 'close'; viewersLeft: number; work: SessionWork }
  | { type: 'settle_close'; viewersLeft: number; work: SessionWork }
  | { type: 'end'; reason: ExitReason }
  | { type: 'evict'; viewersLeft: number; work: SessionWork }
  | { type: 'idle'; work: SessionWork; timeoutMs: number }
  | { type: 'silent'; work: SessionWork; silence: Silence }
  | { type: 'revive' }
  | { type: 'acknowledged' }
  | { type: 'finish' }
  | { type: 'grace_over' };

export type SessionRefusal =
  | 'already_ended'
  | 'not_active'
  | 'viewers_left'
  | 'not_idle'
  | 'not_silent'
  | 'cannot_revive'
  | 'nothing_to_do';

export type SessionChange =
  | { to: 'active'; keep: 'close_requested'; closeRequestedAt: Date }
  | { to: 'active'; keep: 'revived' }
  | { to: 'terminating'; end: SessionEnd }
  | { to: 'acknowledged' }
  /** `end`: how its bearer learns it later, when no end was acknowledged before. */
  | { to: 'ended'; end?: SessionEnd };

export type SessionDecision = { ok: true; change: SessionChange } | { ok: false; refusal: SessionRefusal };

/** Ends that a new start or message may take back as long as they are not acknowledged. */
const REVIVABLE = new Set<string>(['user_closed_chat', 'session_timeout']);
/** terminating lasts at most this long after the exit was acknowledged, and this long in all. */
export const TERMINATING_AFTER_ACKNOWLEDGED_MS = 15_000;
export const TERMINATING_IN_ALL_MS = 30_000;

export function isLive(session: Pick<SessionSnapshot, 'state' | 'acknowledgedAt'>): boolean {
  return session.state === 'active' || (session.state === 'terminating' && session.acknowledgedAt === null);
}

/** Whether a message or start for it needs no wake-up: the session is active, or can be made active again. */
export function takesWork(session: Pick<SessionSnapshot, 'state' | 'acknowledgedAt' | 'end'>): boolean {
  return session.state === 'active' || canRevive(session);
}

export function isBusy(work: SessionWork): boolean {
  return work.held || work.openCard || work.liveConversation;
}

const refuse = (refusal: SessionRefusal): SessionDecision => ({ ok: false, refusal });
const change = (value: SessionChange): SessionDecision => ({ ok: true, change: value });

/** The transitions; pure, `now` is read after the row lock. */
export function decideSession(session: SessionSnapshot, command: SessionCommand, now: Date): SessionDecision {
  if (session.state === 'ended') return refuse('already_ended');
  switch (command.type) {
    case 'close':
    case 'settle_close':
      return decideClose(session, command, now);
    case 'end':
      // A second end changes only an end that could still be taken back.
      return session.state === 'active' || canRevive(session)
        ? change({ to: 'terminating', end: { action: 'exit', reason: command.reason } })
        : refuse('not_active');
    case 'evict':
      return decideEvict(session, command);
    case 'idle':
      return decideIdle(session, command, now);
    case 'silent':
      return decideSilent(session, command, now);
    case 'revive':
      return canRevive(session) ? change({ to: 'active', keep: 'revived' }) : refuse('cannot_revive');
    case 'acknowledged':
      if (session.state !== 'terminating') return refuse('not_active');
      return change({ to: 'acknowledged' });
    case 'finish':
      return change({ to: 'ended' });
    case 'grace_over':
      return isGraceOver(session, now) ? change({ to: 'ended' }) : refuse('nothing_to_do');
    default:
      return unreachable(command);
  }
}

function canRevive(session: Pick<SessionSnapshot, 'state' | 'acknowledgedAt' | 'end'>): boolean {
  return (
    session.state === 'terminating' &&
    session.acknowledgedAt === null &&
    session.end !== null &&
    REVIVABLE.has(session.end.reason)
  );
}

function decideClose(
  session: SessionSnapshot,
  command: Extract<SessionCommand, { type: 'close' | 'settle_close' }>,
  now: Date,
): SessionDecision {
  if (session.state !== 'active') return refuse('not_active');
  if (command.type === 'settle_close' && session.closeRequestedAt === null) return refuse('nothing_to_do');
  if (command.viewersLeft > 0) return refuse('viewers_left');
  if (command.work.unread || command.work.unacknowledgedEnd || isBusy(command.work)) {
    return session.closeRequestedAt === null
      ? change({ to: 'active', keep: 'close_requested', closeRequestedAt: now })
      : refuse('nothing_to_do');
  }
  return change({ to: 'terminating', end: { action: 'exit', reason: 'user_closed_chat' } });
}

/** Another agent waits for its place: only a session without viewers and without work gives it up. */
function decideEvict(
  session: SessionSnapshot,
  command: Extract<SessionCommand, { type: 'evict' }>,
): SessionDecision {
  if (session.state !== 'active') return refuse('not_active');
  if (command.viewersLeft > 0) return refuse('viewers_left');
  if (command.work.unread || isBusy(command.work)) return refuse('not_idle');
  return change({ to: 'terminating', end: { action: 'exit', reason: 'evicted' } });
}

function decideIdle(
  session: SessionSnapshot,
  command: Extract<SessionCommand, { type: 'idle' }>,
  now: Date,
): SessionDecision {
  if (session.state !== 'active') return refuse('not_active');
  // Trap 5: unread messages are checked before idleness.
  if (command.work.unread || isBusy(command.work)) return refuse('not_idle');
  if (now.getTime() - session.lastActivityAt.getTime() < command.timeoutMs) return refuse('not_idle');
  return change({ to: 'terminating', end: { action: 'logout', reason: 'session_timeout' } });
}

/**
 * Contract §5 "Silence": it has made no call for the idle time, is in no turn, holds nothing, and a message
 * has waited for it that long (trap 23). For messages that it holds the turn limit decides.
 */
function decideSilent(
  session: SessionSnapshot,
  { work, silence }: Extract<SessionCommand, { type: 'silent' }>,
  now: Date,
): SessionDecision {
  if (session.state !== 'active') return refuse('not_active');
  const { lastSeenAt, inTurn, waitingSince, couldBeHeard, timeoutMs } = silence;
  if (work.held || inTurn || waitingSince === null || !couldBeHeard) return refuse('not_silent');
  const quietSince = Math.max(lastSeenAt.getTime(), waitingSince.getTime());
  if (now.getTime() - quietSince < timeoutMs) return refuse('not_silent');
  return change({ to: 'ended', end: { action: 'logout', reason: 'session_silent' } });
}

function isGraceOver(session: SessionSnapshot, now: Date): boolean {
  if (session.state !== 'terminating' || session.terminatingAt === null) return false;
  if (now.getTime() - session.terminatingAt.getTime() >= TERMINATING_IN_ALL_MS) return true;
  return (
    session.acknowledgedAt !== null &&
    now.getTime() - session.acknowledgedAt.getTime() >= TERMINATING_AFTER_ACKNOWLEDGED_MS
  );
}
