import type { ChangesConflict } from '../../contract/changes.ts';
import type { Reason } from '../../contract/reason.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { requireHolder } from '../coordinators/coordinator-holder.ts';
import type { ServiceDeps } from '../deps.ts';
import { applyReport, type WorktreeOutcome } from './rules/worktree-machine.ts';
import {
  findRunOfWorktree,
  insertWorktree,
  lockMadeFor,
  type SeenChanges,
  setBase,
  setReported,
  setSeen,
  type WorktreeRecord,
} from './worktree-queries.ts';

export interface ChangesReport {
  readonly runId: string;
  /** The run that the worktree was made for, when that is an earlier one. */
  readonly madeFor?: string | undefined;
  readonly coordinatorId: string;
  readonly instanceId?: string | undefined;
  /** The order that it answers. */
  readonly number?: number | undefined;
  readonly outcome: WorktreeOutcome;
  readonly base: string;
  readonly branch: string;
  readonly into: string | null;
  readonly seen?: SeenChanges | undefined;
  readonly conflict?: ChangesConflict | undefined;
  readonly fault?: string | undefined;
  readonly reason?: Reason | undefined;
}

/**
 * A Coordinator says what is in the worktree of a run, or what became of an order. The first report makes its row.
 * Idempotent; refused with run_lost when the run belongs to another Coordinator. What it says of a run whose worktree
 * another run has taken over changes nothing.
 */
export async function reportChanges(deps: ServiceDeps, report: ChangesReport): Promise<void> {
  const run = await findRunOfWorktree(deps.database.db, report.runId);
  if (!run) throw new AppError('run_not_found', 'There is no such run.');
  if (run.coordinatorId !== report.coordinatorId)
    throw new AppError('run_lost', 'This run belongs to another Coordinator.');
  await deps.database.transaction(async (tx) => {
    await requireHolder(tx.db, report);
    const now = await tx.now();
    // Whoever waits for the answer looks again, also when people see nothing new.
    tx.dirty(keys.log(run.projectId));
    const { madeFor = report.runId } = report;
    const isNew = await insertWorktree(tx.db, {
      runId: report.runId,
      madeFor,
      coordinatorId: report.coordinatorId,
      baseCommit: report.base,
      branch: report.branch,
      intoBranch: report.into,
      createdAt: now,
    });
    const worktree = await lockMadeFor(tx.db, madeFor);
    if (worktree === null) throw new Error('a stored worktree is gone');
    if (worktree.runId !== report.runId) return;
    const isOther = await settle(tx, worktree, report, now);
    if (isNew || isOther)
      await appendChangeEvents(tx, [
        { kind: 'run', projectId: run.projectId, ref: { runId: report.runId, agentId: run.agentId } },
      ]);
  });
}

/**
 * True when people see something else than before. Not that somebody looked: who is told would read again, and so ask
 * for the next look.
 */
async function settle(tx: Tx, worktree: WorktreeRecord, report: ChangesReport, now: Date): Promise<boolean> {
  const answersOrder = worktree.order !== null && report.number === worktree.orderNumber;
  const next = applyReport(worktree, { outcome: report.outcome, answersOrder });
  const { seen, outcome, base } = report;
  if (base !== '' && base !== worktree.baseCommit)
    await setBase(tx.db, { runId: worktree.runId, baseCommit: base, intoBranch: report.into });
  if (seen !== undefined) await setSeen(tx.db, worktree.runId, seen, now);
  // A look says nothing about the last attempt to keep it.
  const conflict = outcome === 'seen' || outcome === 'failed' ? worktree.conflict : (report.conflict ?? null);
  const { fault = null, reason = null } = report;
  await setReported(tx.db, { runId: worktree.runId, ...next }, { conflict, fault, reason });
  return (
    next.state !== worktree.state ||
    isDeciding(next.order) !== isDeciding(worktree.order) ||
    outcome === 'conflict' ||
    fault !== worktree.fault ||
    (seen !== undefined && differs(worktree, seen))
  );
}

function isDeciding(order: WorktreeRecord['order']): boolean {
  return order !== null && order !== 'look';
}

function differs(worktree: WorktreeRecord, seen: SeenChanges): boolean {
  return (
    worktree.seenAt === null ||
    worktree.fileCount !== seen.fileCount ||
    worktree.additions !== seen.additions ||
    worktree.deletions !== seen.deletions
  );
}
