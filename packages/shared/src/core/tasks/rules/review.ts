import type { TaskStatus } from './task-status.ts';

/** How a task goes on after the report of its agent. */
export interface AfterReport {
  readonly status: TaskStatus;
  /** Who looks at it now, before it is done; null: nobody. */
  readonly reviewerId: string | null;
}

/**
 * Of a project with a reviewer, what somebody else reports as done stays in progress, as the work of the reviewer: what
 * depends on it waits. What the reviewer reports is the end, so two agents do not give it to and fro.
 */
export function afterReport(
  reported: 'done' | 'blocked',
  { workerId, reviewerId }: { readonly workerId: string; readonly reviewerId: string | null },
): AfterReport {
  if (reported === 'blocked' || reviewerId === null || reviewerId === workerId)
    return { status: reported, reviewerId: null };
  return { status: 'in_progress', reviewerId };
}

/**
 * Whether this agent says of a task that it is done while somebody else looks at it: the task stays as it is, its
 * reviewer decides.
 */
export function isOthersReview(
  task: { readonly status: TaskStatus; readonly assigneeId?: string | undefined },
  { agentId, reviewerId }: { readonly agentId: string; readonly reviewerId: string | null },
): boolean {
  return task.status === 'in_progress' && task.assigneeId === reviewerId && reviewerId !== agentId;
}
