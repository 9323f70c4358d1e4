import type { Decision } from '../../rules/decision.ts';
import { TASK_STATUSES, type TaskStatus } from './task-status.ts';

/**
 *   backlog ⇄ todo ⇄ in_progress → done → todo
 *                    in_progress ⇄ blocked → todo
 *   all but done → cancelled → backlog
 *
 * Every status by every status, so that an empty cell does not compile. Staying is no move.
 */
export const TASK_MOVES: Readonly<Record<TaskStatus, Readonly<Record<TaskStatus, boolean>>>> = {
  backlog: { backlog: true, todo: true, in_progress: false, blocked: false, done: false, cancelled: true },
  todo: { backlog: true, todo: true, in_progress: true, blocked: false, done: false, cancelled: true },
  in_progress: { backlog: false, todo: true, in_progress: true, blocked: true, done: true, cancelled: true },
  blocked: { backlog: false, todo: true, in_progress: true, blocked: true, done: false, cancelled: true },
  done: { backlog: false, todo: true, in_progress: false, blocked: false, done: true, cancelled: false },
  cancelled: { backlog: true, todo: false, in_progress: false, blocked: false, done: false, cancelled: true },
};

/** The statuses that a task may move to, except its own. */
export function movesFrom(status: TaskStatus): TaskStatus[] {
  return TASK_STATUSES.filter((to) => to !== status && TASK_MOVES[status][to]);
}

export interface TaskState {
  readonly status: TaskStatus;
  readonly assigneeId: string | null;
  readonly version: number;
}

export interface TaskCommand {
  /** The version on which the caller's change is based. */
  readonly version?: number | undefined;
  readonly status?: TaskStatus | undefined;
  readonly assigneeId?: string | null | undefined;
}

export interface TaskChange {
  readonly next: TaskState;
  /** An agent may have to begin, or to stop. */
  readonly workChanged: boolean;
}

export type TaskRefusal = 'version_conflict' | 'invalid_status_transition';

export function decideTaskChange(state: TaskState, command: TaskCommand): Decision<TaskChange, TaskRefusal> {
  if (command.version !== state.version) return { ok: false, refusal: 'version_conflict' };
  const status = command.status ?? state.status;
  if (!TASK_MOVES[state.status][status]) return { ok: false, refusal: 'invalid_status_transition' };
  const assigneeId = command.assigneeId === undefined ? state.assigneeId : command.assigneeId;
  const next = { status, assigneeId, version: state.version + 1 };
  return { ok: true, value: { next, workChanged: workOf(state) !== workOf(next) } };
}

/** The agent for which this task is work now: a Coordinator starts it for the task. */
function workOf({ status, assigneeId }: TaskState): string | null {
  return status === 'in_progress' ? assigneeId : null;
}
