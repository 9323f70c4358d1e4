/** The fields of a task of which a history is kept. */
export const TASK_FIELDS = [
  'status',
  'assigneeId',
  'title',
  'description',
  'priority',
  'parentId',
  'dependsOn',
  'labels',
  'dueDate',
] as const;
export type TaskField = (typeof TASK_FIELDS)[number];
