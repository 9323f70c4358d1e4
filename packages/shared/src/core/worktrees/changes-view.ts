import type { ChangedFile, Changes, ChangesConflict } from '../../contract/changes.ts';
import { AppError } from '../../platform/errors.ts';
import type { WorktreeRecord } from './worktree-queries.ts';

export function toChanges(worktree: WorktreeRecord, files: ChangedFile[]): Changes {
  const { order } = worktree;
  return {
    runId: worktree.runId,
    base: worktree.baseCommit,
    branch: worktree.branch,
    into: worktree.intoBranch,
    state: worktree.state,
    ...(order !== null && order !== 'look' && { deciding: order }),
    ...(worktree.decidedBy !== null && { decidedBy: worktree.decidedBy }),
    ...(worktree.decidedByName !== null && { decidedByName: worktree.decidedByName }),
    ...(worktree.decidedAt !== null && { decidedAt: worktree.decidedAt.toISOString() }),
    ...(worktree.seenAt !== null && { seenAt: worktree.seenAt.toISOString() }),
    fileCount: worktree.fileCount,
    additions: worktree.additions,
    deletions: worktree.deletions,
    files,
    leftOut: [...worktree.leftOut],
    ...(worktree.conflict !== null && { conflict: worktree.conflict }),
    ...(worktree.fault !== null && { fault: worktree.fault }),
    ...(worktree.reason !== null && { reason: worktree.reason }),
  };
}

export function worktreeNotFound(): AppError {
  return new AppError(
    'changes_not_found',
    'This run has no worktree of its own: its project is shared, its agent works in no folder, it never began, or the run after it goes on in that worktree.',
  );
}

/** `wasAsked`: it lives, and has not answered in time. */
export function coordinatorAway({ coordinatorId }: WorktreeRecord, wasAsked: boolean): AppError {
  return new AppError(
    'unavailable',
    wasAsked
      ? `The Coordinator ${coordinatorId} has not answered yet. It goes on: look again in a moment.`
      : `The worktree is on the host of the Coordinator ${coordinatorId}, which does not answer. Start it, then try again.`,
    { retryAfterSeconds: 5, details: { coordinatorId } },
  );
}

export function refusal(
  code: 'changes_already_decided' | 'run_not_ended',
  worktree: WorktreeRecord,
): AppError {
  if (code === 'run_not_ended')
    return new AppError(code, 'The agent is still at work. End the run first, then decide.');
  return new AppError(code, SENTENCE_OF_STATE[worktree.state] ?? 'Somebody has decided this already.', {
    details: { state: worktree.state, ...(worktree.order !== null && { deciding: worktree.order }) },
  });
}

const SENTENCE_OF_STATE: Partial<Record<WorktreeRecord['state'], string>> = {
  lost: 'The worktree is gone from its host: nothing of it can be kept.',
  unchanged: 'The run has changed nothing: its worktree was removed.',
};

export function conflictError(conflict: ChangesConflict): AppError {
  return new AppError('changes_conflict', `${SENTENCES[conflict.reason]} Nothing was touched.`, {
    details: { ...conflict },
  });
}

const SENTENCES: Readonly<Record<ChangesConflict['reason'], string>> = {
  merge: 'The same places were changed in the project’s folder too.',
  uncommitted: 'The project’s folder has changes at these paths that are not committed.',
  branch: 'The project’s folder is on another branch than the one that the worktree was made from.',
  busy: 'Another git process is at work in the project’s folder, or a merge or rebase is under way there.',
};
