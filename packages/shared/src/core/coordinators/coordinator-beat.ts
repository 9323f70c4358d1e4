import type { EXECUTORS } from '../../contract/run.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import { noteRunExit } from '../runs/run-exit.ts';
import {
  adoptRuns,
  liveRuns,
  type PullingRun,
  saveMemory,
  savePulling,
  stopGivenUpRuns,
} from '../runs/run-process-queries.ts';
import { couldHear } from '../sessions/listening-queries.ts';
import type { Attempt } from '../sweep-step.ts';
import { findSameBeat } from './beat-queries.ts';
import { COORDINATOR_SILENT_MS, notifyCoordinators } from './coordinator-alive.ts';
import { holdId } from './coordinator-holder.ts';
import {
  COORDINATOR_LOST_MS,
  type CoordinatorClaim,
  type HolderRow,
  lockCoordinator,
  saveBeat,
  setLost,
  silentCoordinators,
} from './coordinator-queries.ts';

export interface CoordinatorBeat extends CoordinatorClaim {
  readonly capacity: number;
  /** Every run that lives there, including those that are starting or stopping. */
  readonly running: readonly string[];
  readonly labels: readonly string[];
  readonly roots: readonly string[];
  /** What its runs live in; `process` when it does not say. */
  readonly executor?: (typeof EXECUTORS)[number] | undefined;
  /** It keeps runs to the egress list of their project. */
  readonly keepsEgress?: boolean | undefined;
  /** What runs need in MiB, where it has changed. */
  readonly memory?: readonly { readonly runId: string; readonly memoryMb: number }[] | undefined;
  /** Every run that waits for its image; absent: as it said before. */
  readonly pulling?: readonly PullingRun[] | undefined;
  /** A time of the database at which the list was true, or somewhat before; absent: now. */
  readonly asOf?: Date | undefined;
}

/** When it was seen this recently, a beat need not be written. */
export const JUST_SEEN_MS = 1_000;
/** A run that its Coordinator does not list has this long to appear before it counts as lost. */
const UNLISTED_GRACE_MS = 5_000;

/**
 * A beat with the runs that live there; a run that should be in the list and is not is lost. Refused
 * (coordinator_id_taken) while another Coordinator has this id. True: it said nothing new, and has no runs.
 */
export async function noteBeat(deps: ServiceDeps, beat: CoordinatorBeat): Promise<boolean> {
  // By the clock of this process: when it differs from the clock of the database, a beat is written without
  // need, or a second later.
  const justSince = new Date(deps.clock.now().getTime() - JUST_SEEN_MS);
  const same = await findSameBeat(deps.database, beat, justSince);
  if (same !== null && beat.running.length === 0 && !same.hasLiveRuns) return true;
  const now = same === null ? await noteOtherBeat(deps, beat) : await deps.database.now();
  await adoptUnnamed(deps, beat);
  await settleUnlisted(deps, beat, now);
  await stopGivenUp(deps, beat, now);
  // No change event: who looks at a run reads it again.
  if (beat.memory?.length) await saveMemory(deps.database.db, beat.coordinatorId, beat.memory);
  if (beat.pulling) await notePulling(deps, beat.coordinatorId, beat.pulling);
  return false;
}

async function notePulling(
  deps: ServiceDeps,
  coordinatorId: string,
  pulling: readonly PullingRun[],
): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const changed = await savePulling(tx.db, coordinatorId, pulling);
    // A chat shows it, of a task nothing does.
    await appendChangeEvents(
      tx,
      changed
        .filter(({ purpose }) => purpose === 'chat')
        .map(({ projectId, agentId }) => ({ kind: 'session', projectId, ref: { agentId } }) as const),
    );
  });
}

async function noteOtherBeat(deps: ServiceDeps, beat: CoordinatorBeat): Promise<Date> {
  return deps.database.transaction(async (tx) => {
    const before = await holdId(tx, beat);
    const now = await tx.now();
    await saveBeat(tx.db, beat, now);
    const isBack = before === null || now.getTime() - before.lastSeenAt.getTime() > COORDINATOR_SILENT_MS;
    if (isBack) await notifyCoordinators(tx);
    else if (looksOther(before, beat))
      await appendChangeEvents(tx, [{ kind: 'coordinators', projectId: null, ref: {} }]);
    return now;
  });
}

/** The public state of the Coordinator has changed. */
function looksOther(before: HolderRow, beat: CoordinatorBeat): boolean {
  return (
    before.capacity !== beat.capacity || before.used !== beat.running.length || before.host !== beat.host
  );
}

/**
 * Gives up the runs of a Coordinator that was silent for too long while it could have been heard; their work
 * is given out again. It counts as lost only after that: if this process dies in the middle, the next sweep
 * does the rest.
 */
export async function loseSilentCoordinators(
  deps: ServiceDeps,
  attempt: Attempt = (_row, work) => work(),
): Promise<number> {
  const { db } = deps.database;
  const now = await deps.database.now();
  const silent = await silentCoordinators(db, lostBefore(now));
  let count = 0;
  for (const { id } of silent) {
    const isStillSilent = (tx: Tx) => isSilent(tx, id);
    let isRest = false;
    for (const run of await liveRuns(db, id)) {
      const isGivenUp = await attempt(run.id, async () => {
        await noteRunExit(deps, { runId: run.id, exitCode: null }, 'lost', isStillSilent);
        return true;
      });
      isRest ||= !isGivenUp;
    }
    // A run that could not be given up is tried again in the next round; the other Coordinators do not wait
    // for it.
    if (!isRest) count += await deps.database.transaction((tx) => noteLost(tx, id));
  }
  return count;
}

/** Read again under its lock: it may have sent a beat while its runs were given up one by one. */
async function isSilent(tx: Tx, id: string): Promise<boolean> {
  const row = await lockCoordinator(tx.db, id);
  const now = await tx.now();
  if (row === undefined || row.lostAt !== null || row.lastSeenAt >= lostBefore(now)) return false;
  return couldHear(tx.db, now, COORDINATOR_LOST_MS);
}

async function noteLost(tx: Tx, id: string): Promise<number> {
  if (!(await isSilent(tx, id))) return 0;
  const lostAt = await tx.now();
  await setLost(tx.db, id, lostAt);
  return 1;
}

function lostBefore(now: Date): Date {
  return new Date(now.getTime() - COORDINATOR_LOST_MS);
}

/**
 * A Coordinator that lists a run that was started without naming a Coordinator becomes its Coordinator: it
 * must be told when to end it.
 */
async function adoptUnnamed(deps: ServiceDeps, beat: CoordinatorBeat): Promise<void> {
  if (beat.running.length === 0) return;
  await adoptRuns(deps.database.db, beat.coordinatorId, beat.running);
}

async function settleUnlisted(deps: ServiceDeps, beat: CoordinatorBeat, now: Date): Promise<void> {
  const listed = new Set(beat.running);
  // A beat may come late, from a server that was frozen: it says nothing about runs that were started meanwhile.
  const asOf = Math.min(now.getTime(), beat.asOf?.getTime() ?? Number.POSITIVE_INFINITY);
  const before = asOf - UNLISTED_GRACE_MS;
  for (const run of await liveRuns(deps.database.db, beat.coordinatorId)) {
    if (!listed.has(run.id) && run.startedAt.getTime() < before)
      await noteRunExit(deps, { runId: run.id, exitCode: null }, 'lost');
  }
}

/**
 * Runs that were given up while their Coordinator was silent but still live there (I-8): every beat that
 * lists them asks again for their end.
 */
async function stopGivenUp(deps: ServiceDeps, beat: CoordinatorBeat, now: Date): Promise<void> {
  if (beat.running.length === 0) return;
  await stopGivenUpRuns(deps.database.db, beat.coordinatorId, beat.running, now);
}
