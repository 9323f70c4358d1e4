/**
 * created: it exists, and nobody has decided. conflict: the same, and the last attempt to keep it changed nothing.
 * unchanged: the run ended and left no change. lost: its folder is gone from the host.
 */
export const WORKTREE_STATES = ['created', 'conflict', 'kept', 'discarded', 'unchanged', 'lost'] as const;
export type WorktreeState = (typeof WORKTREE_STATES)[number];

export const WORKTREE_DECISIONS = ['keep', 'discard'] as const;
export type WorktreeDecision = (typeof WORKTREE_DECISIONS)[number];

/** What a Coordinator is asked to do with a worktree. */
export const WORKTREE_ORDERS = ['look', ...WORKTREE_DECISIONS] as const;
export type WorktreeOrder = (typeof WORKTREE_ORDERS)[number];

/** What a Coordinator reports of a worktree. seen: it exists, with what changed in it. */
export const WORKTREE_OUTCOMES = [
  'seen',
  'kept',
  'discarded',
  'conflict',
  'unchanged',
  'lost',
  'failed',
] as const;
export type WorktreeOutcome = (typeof WORKTREE_OUTCOMES)[number];

export interface WorktreeSnapshot {
  readonly state: WorktreeState;
  readonly order: WorktreeOrder | null;
}

export type DecideResult =
  /** The Coordinator is asked. */
  | { readonly type: 'order' }
  /** The same was decided before: its outcome is waited for, or known. */
  | { readonly type: 'same' }
  | { readonly type: 'refused'; readonly code: 'changes_already_decided' | 'run_not_ended' };

/** A worktree that still waits for a decision. */
export function isUndecided(state: WorktreeState): boolean {
  return state === 'created' || state === 'conflict';
}

/** The first decision is carried out; while it is, another one is refused. A run that lives may still write. */
export function decideWorktree(
  worktree: WorktreeSnapshot,
  decision: WorktreeDecision,
  isRunOver: boolean,
): DecideResult {
  const { state, order } = worktree;
  if (!isUndecided(state)) {
    const isSame = state === DONE[decision];
    return isSame ? { type: 'same' } : { type: 'refused', code: 'changes_already_decided' };
  }
  if (order === decision) return { type: 'same' };
  if (order !== null && order !== 'look') return { type: 'refused', code: 'changes_already_decided' };
  return isRunOver ? { type: 'order' } : { type: 'refused', code: 'run_not_ended' };
}

const DONE = { keep: 'kept', discard: 'discarded' } as const satisfies Record<
  WorktreeDecision,
  WorktreeState
>;

/** Whether a final state is what the decision asked for: where nothing is left, nothing is discarded. */
export function isCarriedOut(state: WorktreeState, decision: WorktreeDecision): boolean {
  if (state === DONE[decision] || state === 'unchanged') return true;
  return decision === 'discard' && state === 'lost';
}

/**
 * The state and the order after a report. `answersOrder`: the report names the order that stands; any other report
 * leaves the order, because the Coordinator has still to carry it out. Final states are never left.
 */
export function applyReport(
  worktree: WorktreeSnapshot,
  report: { readonly outcome: WorktreeOutcome; readonly answersOrder: boolean },
): WorktreeSnapshot {
  if (!isUndecided(worktree.state)) return { state: worktree.state, order: null };
  const state = stateAfter(worktree.state, report.outcome);
  const isOver = report.answersOrder || !isUndecided(state);
  return { state, order: isOver ? null : worktree.order };
}

function stateAfter(state: WorktreeState, outcome: WorktreeOutcome): WorktreeState {
  return outcome === 'seen' || outcome === 'failed' ? state : outcome;
}
