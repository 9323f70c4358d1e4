import type { Purpose } from '../../rules/work-key.ts';

export const EXIT_CAUSES = ['finished', 'crashed', 'killed', 'stalled', 'lost', 'could_not_start'] as const;
export type ExitCause = (typeof EXIT_CAUSES)[number];

export interface ExitReport {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The Coordinator could not start it (command not found, folder missing). */
  readonly error: string | null;
  /** The Coordinator reports that it never began; it has a pid all the same, that of its guard. */
  readonly neverBegan?: boolean;
  /** The Coordinator ended it because the Coordinator itself was stopped. */
  readonly endedByCoordinator?: boolean;
}

/** Why a process ended. Exit code 0 with unfinished work is a failure: the person still waits. */
export function decideExitCause(
  run: { readonly stopRequested: boolean; readonly processStarted: boolean; readonly workUndone: boolean },
  report: ExitReport,
): ExitCause {
  if (run.stopRequested || report.endedByCoordinator) return 'killed';
  if (report.error !== null && (report.neverBegan || !run.processStarted)) return 'could_not_start';
  if (isZero(report)) return run.workUndone ? 'crashed' : 'finished';
  return 'crashed';
}

export function isZero({ exitCode, signal }: Pick<ExitReport, 'exitCode' | 'signal'>): boolean {
  return exitCode === 0 && signal === null;
}

/** What a process leaves that ends while its session is active. */
export interface LeftWork {
  readonly purpose: Purpose;
  /** Its agent is started only when there is work, and its process ends by itself. */
  readonly isPerWork: boolean;
  /** Messages were given to its session and not answered. */
  readonly held: boolean;
  /** Messages wait that its session has not fetched. */
  readonly unread: boolean;
  /** They wait until another agent has done its work in the folder of the project: it could not fetch them. */
  readonly isWithheld: boolean;
  readonly liveConversation: boolean;
  /** At least one message was given to its session. */
  readonly hasRead: boolean;
  /** It may have read an end that was taken back: it follows that. */
  readonly followsOldEnd: boolean;
}

/**
 * Whether a process that ends leaves unfinished work. A task session that is done logs out, or is told to leave. A
 * process that was started for the work may end with 0 after it has answered what it fetched: later messages, and the
 * next message of a conversation, start another one. One that has fetched nothing of what waits would be started again
 * and again.
 */
export function leavesWorkUndone(left: LeftWork, endedWithZero: boolean): boolean {
  if (left.purpose === 'task' || left.held) return true;
  if (left.followsOldEnd && endedWithZero) return false;
  if (left.isPerWork && endedWithZero) return left.unread && !left.isWithheld && !left.hasRead;
  return left.unread || left.liveConversation;
}

/** Only these count as "in a row" and for a message; our own restarts and stops do not. */
export function isCrash(cause: ExitCause): boolean {
  return cause === 'crashed' || cause === 'could_not_start';
}

export const MAX_CRASHES_IN_A_ROW = 3;

/** Wait before the next start after `crashesInARow` crashes: 1, 2, 4 … 60 s. */
export function crashBackoffMs(crashesInARow: number): number {
  return Math.min(60_000, 1_000 * 2 ** Math.max(0, crashesInARow - 1));
}
