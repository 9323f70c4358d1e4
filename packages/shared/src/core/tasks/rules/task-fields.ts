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
