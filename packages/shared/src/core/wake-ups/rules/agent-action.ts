import type { Purpose } from '../../rules/work-key.ts';
import type { SessionState } from '../../sessions/rules/session-machine.ts';
import { isLive } from '../../sessions/rules/session-machine.ts';
import { type HeldFor, isExpired, type WakeUpSnapshot } from './wake-up-machine.ts';

/** The state of one key of work: the chat of the membership, or a task. */
export interface WorkView {
  readonly purpose: Purpose;
  readonly row: WakeUpSnapshot | null;
  /** The newest that has not ended. */
  readonly session: { readonly state: SessionState; readonly acknowledgedAt: Date | null } | null;
  /** The wake-ups before it in the queue leave a place for it. */
  readonly hasPlace: boolean;
  /** Its program would begin to work at once, and another agent works in the folder of the project. */
  readonly isFolderTaken: boolean;
  /** Tasks: another run of it has not exited. */
  readonly isProcessLeft: boolean;
  /** Tasks: it is in progress, and assigned to this agent. */
  readonly isInProgress: boolean;
}

/**
 * The facts on which get_agent_action decides about one (agent, project); all of them read under the lock of
 * the membership.
 */
export interface AgentActionView<Work extends WorkView = WorkView> {
  readonly assigned: boolean;
  readonly projectStatus: 'active' | 'paused' | 'archived';
  /** The chat, then the tasks that have a row or a session, in the order in which they are started. */
  readonly works: readonly Work[];
  readonly hasInProgressTask: boolean;
  readonly hasBlockedTask: boolean;
  /** How many more tasks the agent may begin, in all its projects together. */
  readonly taskSlots: number;
  /** The agent has used its tokens of today: it is not started. */
  readonly isOverLimit: boolean;
}

export type HoldReason =
  | 'agent_not_assigned'
  | 'already_running'
  | 'spawn_in_progress'
  | 'session_ending'
  | 'no_pending_work'
  | 'project_paused'
  | 'blocked_without_in_progress'
  | 'cooling_down'
  | 'capacity'
  | 'usage_limit'
  | 'folder_in_use'
  | 'needs_container'
  | 'needs_egress';

export type StartReason = 'has_pending_purpose' | 'has_in_progress_task';

/** The reason why a row waits; null: no reason that stops its clock. */
export interface Rest<Work> {
  readonly work: Work;
  readonly heldFor: HeldFor | null;
}

/** `rests`: the rows that were checked and not started. */
export type AgentActionDecision<Work> =
  | {
      readonly action: 'start';
      readonly reason: StartReason;
      readonly work: Work;
      readonly rests: readonly Rest<Work>[];
    }
  | { readonly action: 'hold'; readonly reason: HoldReason; readonly rests: readonly Rest<Work>[] }
  /**
   * The row is past its TTL, or its agent may not be started today: it must be expired, or what waits for it
   * refused, then the rule is run again.
   */
  | { readonly action: 'expire'; readonly work: Work }
  | { readonly action: 'refuse'; readonly work: Work };

type WorkDecision =
  | { readonly action: 'start' }
  | { readonly action: 'expire' }
  | { readonly action: 'refuse' }
  | { readonly action: 'hold'; readonly reason: HoldReason; readonly heldFor: HeldFor | null };

const hold = (reason: HoldReason): WorkDecision => ({ action: 'hold', reason, heldFor: null });
/** Held for a reason that the waiting person has not caused: the TTL does not run meanwhile. */
const rest = (heldFor: HeldFor & HoldReason, reason: HoldReason = heldFor): WorkDecision => ({
  action: 'hold',
  reason,
  heldFor,
});
const ABOVE_TASK_LIMIT = { action: 'hold', reason: 'capacity', heldFor: 'task_limit' } as const;

/**
 * Chat before task, and each is independent: a paused project, a blocked task, a session of another key never
 * block the chat, nor does a chat block a task (traps 7, 11). When nothing can start, the result is the
 * reason of the first row that is not started; a row that lacks only a place comes before the others, because
 * room may be made for it.
 */
export function decideAgentAction<Work extends WorkView>(
  view: AgentActionView<Work>,
  now: Date,
  ttlMs: number,
): AgentActionDecision<Work> {
  if (!view.assigned || view.projectStatus === 'archived')
    return { action: 'hold', reason: 'agent_not_assigned', rests: restsOf(view.works) };
  let { taskSlots } = view;
  const rests: Rest<Work>[] = [];
  const reasons: HoldReason[] = [];
  for (const work of view.works) {
    const decision = decideWork(work, { ...view, taskSlots }, now, ttlMs);
    if (decision === null) continue;
    if (decision.action === 'expire') return { action: 'expire', work };
    if (decision.action === 'refuse') return { action: 'refuse', work };
    if (decision.action === 'start')
      return { action: 'start', reason: START_REASON[work.purpose], work, rests };
    if (work.row === null) continue;
    // It begins as soon as there is a place.
    if (work.purpose === 'task' && decision.heldFor === 'capacity') taskSlots -= 1;
    rests.push({ work, heldFor: decision.heldFor });
    reasons.push(decision.reason);
  }
  const waits =
    reasons.find((reason) => reason === 'capacity') ??
    reasons.find((reason) => reason !== 'spawn_in_progress');
  return { action: 'hold', reason: waits ?? reasons[0] ?? withoutRow(view), rests };
}

const START_REASON = {
  chat: 'has_pending_purpose',
  task: 'has_in_progress_task',
} as const satisfies Record<Purpose, StartReason>;

/** Null: there is nothing to do for it, and no session or run works on it. */
function decideWork(work: WorkView, view: AgentActionView, now: Date, ttlMs: number): WorkDecision | null {
  const { row, session } = work;
  if (session !== null && isLive(session))
    // Its turn may last longer than the TTL.
    return row !== null ? rest('session_ending', 'already_running') : hold('already_running');
  if (row === null) return null;
  if (session !== null || isEarlierProcessLeft(work)) return rest('session_ending');
  if (view.isOverLimit && row.startedAt === null)
    return work.purpose === 'chat' ? { action: 'refuse' } : rest('usage_limit');
  if (isExpired(row, now, ttlMs)) return { action: 'expire' };
  if (row.startedAt !== null) return hold('spawn_in_progress');
  if (work.purpose === 'task') {
    if (view.projectStatus === 'paused') return hold('project_paused');
    if (!work.isInProgress) return hold(withoutWork(view));
    if (view.taskSlots <= 0) return ABOVE_TASK_LIMIT;
  }
  if (row.notBefore !== null && row.notBefore > now) return rest('cooling_down');
  // Before the place: none is kept, and no session evicted, for what could not begin.
  if (work.isFolderTaken) return rest('folder_in_use');
  if (!work.hasPlace) return rest('capacity');
  return { action: 'start' };
}

/**
 * Whether a sign-in by passkey may take the row: a chat always, a task where a start would lack nothing but
 * time or a place. The process of a row that was started is stopped, and the sign-in has its slot.
 */
export function isForSignIn<Work extends WorkView>(
  work: Work,
  { projectStatus, taskSlots }: Pick<AgentActionView, 'projectStatus' | 'taskSlots'>,
): work is Work & { readonly row: NonNullable<Work['row']> } {
  const { row, session } = work;
  if (row === null || work.purpose === 'chat') return row !== null;
  const isSlotFree = taskSlots > 0 || row.startedAt !== null;
  const isFree = session === null && !isEarlierProcessLeft(work);
  return isFree && projectStatus === 'active' && work.isInProgress && isSlotFree;
}

/** The process of a row that was started is its own. */
function isEarlierProcessLeft({ isProcessLeft, row }: WorkView): boolean {
  return isProcessLeft && row?.startedAt === null;
}

function restsOf<Work extends WorkView>(works: readonly Work[]): Rest<Work>[] {
  return works.filter(({ row }) => row !== null).map((work) => ({ work, heldFor: null }));
}

function withoutRow(view: AgentActionView): HoldReason {
  if (view.works.some(({ session }) => session !== null && isLive(session))) return 'already_running';
  return withoutWork(view);
}

function withoutWork(view: AgentActionView): HoldReason {
  if (view.hasInProgressTask && view.projectStatus === 'paused') return 'project_paused';
  if (!view.hasInProgressTask && view.hasBlockedTask) return 'blocked_without_in_progress';
  return 'no_pending_work';
}
