export const TASK_STATUSES = ['backlog', 'todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const CLOSED_STATUSES = ['done', 'cancelled'] as const satisfies readonly TaskStatus[];

/** Nobody works on such a task any more, and nothing waits for it. */
export function isClosed(status: TaskStatus): boolean {
  return CLOSED_STATUSES.some((closed) => closed === status);
}

export const TASK_PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;
export type TaskPriority = (typeof TASK_PRIORITIES)[number];
