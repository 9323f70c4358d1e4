import type { Tx } from '../../platform/db/database.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { hasFailedAttempt } from '../task-work/attempt-queries.ts';
import { isPerWork } from '../wake-ups/per-work-queries.ts';
import { readLeftWork } from './left-work.ts';
import { hasLeftUnread } from './left-work-queries.ts';
import {
  decideExitCause,
  type ExitCause,
  type ExitReport,
  isZero,
  leavesWorkUndone,
} from './rules/run-machine.ts';
import type { RunExit } from './run-exit.ts';
import { type EndingRun, hasWakeUp } from './run-exit-queries.ts';

/** How a run ended and what it leaves, read under the locks of its membership and of itself. */
export interface RunEnd {
  readonly cause: ExitCause;
  /** The one that it still has; null: it never signed in, or its session has left before. */
  readonly session: SessionRecord | null;
  /** Its session has left, and messages wait of which it fetched none. */
  readonly hasLeft: boolean;
  /** What it was started for, or was given, is not done. */
  readonly workUndone: boolean;
  /** Its agent is started only when there is work, and its process ends by itself. */
  readonly worksPerWork: boolean;
  /** Its Coordinator has lost the node that it was on. */
  readonly isReportedLost: boolean;
}

/** `forced`: the cause that a caller gives who gives the run up; it counts before what is reported. */
export async function readRunEnd(
  tx: Tx,
  run: EndingRun,
  exit: RunExit,
  forced: ExitCause | undefined,
): Promise<RunEnd> {
  const open = await new SessionQueries(tx.db).lockOpen(run.projectId, run.agentId);
  const session = open.find((one) => one.runId === run.id) ?? null;
  const hasLeft = session === null && (await hasLeftUnread(tx.db, run.id));
  const worksPerWork = await isPerWork(tx.db, run.agentId);
  const report = reportOf(exit);
  const workUndone =
    session === null
      ? hasLeft || (await hasWakeUp(tx.db, run.id)) || (await hasFailedAttempt(tx.db, run.id))
      : session.state !== 'terminating' &&
        leavesWorkUndone(
          await readLeftWork(tx, session, { worksPerWork, now: await tx.now() }),
          isZero(report),
        );
  const isReportedLost = forced === 'lost' && exit.cause === 'lost';
  const stopRequested = run.stopRequestedAt !== null;
  // A run that was to stop has stopped, also when its node is lost with it.
  const given = isReportedLost && stopRequested ? undefined : forced;
  const cause =
    given ?? decideExitCause({ stopRequested, processStarted: run.pid !== null, workUndone }, report);
  return { cause, session, hasLeft, workUndone, worksPerWork, isReportedLost };
}

function reportOf(exit: RunExit): ExitReport {
  return {
    exitCode: exit.exitCode,
    signal: exit.signal ?? null,
    error: exit.error ?? null,
    neverBegan: exit.cause === 'could_not_start',
    endedByCoordinator: exit.cause === 'killed',
  };
}
