import type { ExitCause } from '../../runs/rules/run-machine.ts';
import type { WorktreeSnapshot } from './worktree-machine.ts';

/** How the last run for the same work ended. */
export interface EarlierRun {
  /** Null: it lives. */
  readonly exitCause: ExitCause | null;
  /** A person, or a rule of ours, has asked for its end before it was given up. */
  readonly wasAskedToEnd: boolean;
  /** Work that it held waits for the next run. */
  readonly hasLeftWork: boolean;
  /** It worked on a task: however it ended, whoever works on the task again works on what it wrote. */
  readonly wasForTask: boolean;
}

/**
 * The next run goes on in the worktree of the earlier one: this was interrupted in its work, so its changes are half done, and
 * nobody has tried to decide about them. The next run of a task that was sent back, unblocked or opened again does so too.
 * `unchanged`: it had written nothing; its folder is made again,
 * because the sessions of agents belong to a folder. Never while the earlier run lives: two runs do not share a worktree.
 */
export function isTakenOver(
  worktree: WorktreeSnapshot & { readonly decidedBy: string | null },
  run: EarlierRun,
): boolean {
  const { state, decidedBy } = worktree;
  const isUntouched = (state === 'created' || state === 'unchanged') && decidedBy === null;
  const hasEnded = run.wasForTask ? run.exitCause !== null : wasInterrupted(run);
  return isUntouched && hasEnded && run.hasLeftWork;
}

/** killed: by its Coordinator, which was stopped or has found it after a crash of its own. */
const INTERRUPTED: readonly ExitCause[] = ['crashed', 'killed', 'lost', 'stalled'];

function wasInterrupted({ exitCause, wasAskedToEnd }: EarlierRun): boolean {
  return !wasAskedToEnd && exitCause !== null && INTERRUPTED.includes(exitCause);
}
