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
  if (report.exitCode === 0 && report.signal === null) return run.workUndone ? 'crashed' : 'finished';
  return 'crashed';
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
