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
