import type { TaskStatus } from '../../tasks/rules/task-status.ts';

/*
 * A task is work for its assignee while it is in progress, and for nobody else at any other time. Every change of a task
 * is compared by this alone: who the change comes from, and in which order things happen, does not matter.
 */

export const ATTEMPT_OUTCOMES = ['done', 'blocked', 'cancelled', 'taken_away', 'crashed', 'stopped'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The part of a task on which its work depends. */
export interface WorkState {
  readonly status: TaskStatus;
  readonly assigneeId: string | null;
}

/** How the work of an agent on a task ends because the task was changed. */
export interface WorkEnd {
  readonly agentId: string;
  /** What its session is told. */
  readonly reason: 'task_done' | 'task_blocked' | 'task_cancelled' | 'task_reassigned';
  readonly outcome: Exclude<AttemptOutcome, 'crashed' | 'stopped'>;
}

export interface WorkChange {
  readonly end: WorkEnd | null;
  /** The agent or person for whom it is work from now on. */
  readonly begin: string | null;
}

/** The agent or person for whom this is work now; null: for nobody. */
export function workerOf(task: WorkState | null): string | null {
  return task?.status === 'in_progress' ? task.assigneeId : null;
}

/**
 * `before` null: it was made. `after` null: it was deleted. `isHandedIn`: who worked on it has reported it as done, and
 * somebody else looks at it.
 */
export function decideTaskWork(
  before: WorkState | null,
  after: WorkState | null,
  isHandedIn = false,
): WorkChange {
  const [was, is] = [workerOf(before), workerOf(after)];
  if (was === is) return { end: null, begin: null };
  const end = isHandedIn ? ({ reason: 'task_done', outcome: 'done' } as const) : endOf(after);
  return { end: was === null ? null : { agentId: was, ...end }, begin: is };
}

function endOf(after: WorkState | null): Omit<WorkEnd, 'agentId'> {
  switch (after?.status) {
    case 'done':
      return { reason: 'task_done', outcome: 'done' };
    case 'blocked':
      return { reason: 'task_blocked', outcome: 'blocked' };
    case 'cancelled':
    case undefined:
      return { reason: 'task_cancelled', outcome: 'cancelled' };
    case 'backlog':
    case 'todo':
    case 'in_progress':
      return { reason: 'task_reassigned', outcome: 'taken_away' };
  }
}
