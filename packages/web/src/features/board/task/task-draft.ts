import type { Task, UpdateTaskBody } from '@aizuchi/shared/contract/task';
import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';

/** The fields of a task that a person edits. `assigneeId` is '' while nobody is assigned. */
export interface TaskDraft {
  readonly title: string;
  readonly description: string;
  readonly status: Task['status'];
  readonly priority: Task['priority'];
  readonly assigneeId: string;
  /** Separated by commas. */
  readonly labels: string;
  /** '' or a day as 2026-12-24. */
  readonly dueDate: string;
}
export type DraftField = keyof TaskDraft;

const FIELDS: readonly DraftField[] = [
  'title',
  'description',
  'status',
  'priority',
  'assigneeId',
  'labels',
  'dueDate',
];

export function draftOf(task: Task): TaskDraft {
  const { title, description, status, priority, assigneeId = '', labels, dueDate = '' } = task;
  return { title, description, status, priority, assigneeId, labels: labels.join(', '), dueDate };
}

/** Each label once, in the order of writing. */
export function labelsOf(text: string): string[] {
  const labels = text.split(/[,、，]/).map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}

/** The fields in which two drafts differ. */
export function differing(a: TaskDraft, b: TaskDraft): readonly DraftField[] {
  return FIELDS.filter((field) => a[field].trim() !== b[field].trim());
}

/** My changes applied on top of theirs; a status that is not reachable from theirs is left out. */
export function rebased(theirs: TaskDraft, base: TaskDraft, mine: TaskDraft): TaskDraft {
  const changed = Object.fromEntries(differing(base, mine).map((field) => [field, mine[field]]));
  const merged = { ...theirs, ...changed };
  return TASK_MOVES[theirs.status][merged.status] ? merged : { ...merged, status: theirs.status };
}

/** The body of the PATCH that turns the task into the draft: what differs, and the version that was read. */
export function patchTo(task: Task, draft: TaskDraft): UpdateTaskBody {
  const before = draftOf(task);
  const changed = new Set(differing(before, draft));
  return {
    version: task.version,
    ...(changed.has('title') && { title: draft.title.trim() }),
    ...(changed.has('description') && { description: draft.description.trim() }),
    ...(changed.has('status') && { status: draft.status }),
    ...(changed.has('priority') && { priority: draft.priority }),
    ...(changed.has('assigneeId') && { assigneeId: draft.assigneeId === '' ? null : draft.assigneeId }),
    ...(changed.has('labels') && { labels: labelsOf(draft.labels) }),
    ...(changed.has('dueDate') && { dueDate: draft.dueDate === '' ? null : draft.dueDate }),
  };
}
