import type { CreateTaskBody, Task } from '@aizuchi/shared/contract/task';
import { TASK_PRIORITIES } from '@aizuchi/shared/core/tasks/rules/task-status';

/** What a person writes into the dialog of a new task. `assigneeId` is '' while nobody is assigned. */
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

export function emptyDraft(status: Task['status']): TaskDraft {
  return {
    title: '',
    description: '',
    status,
    priority: 'medium',
    assigneeId: '',
    labels: '',
    dueDate: '',
  };
}

/** Nothing was written that would have to be written again. */
export function isBlank({ title, description, labels }: TaskDraft): boolean {
  return [title, description, labels].every((text) => text.trim() === '');
}

/** A kept draft; a field of an unexpected shape is that of `empty`. */
export function readTaskDraft(text: string | undefined, empty: TaskDraft): TaskDraft {
  const kept = parsed(text);
  const textOf = (key: 'title' | 'description' | 'assigneeId' | 'labels' | 'dueDate') =>
    typeof kept[key] === 'string' ? kept[key] : empty[key];
  return {
    ...empty,
    title: textOf('title'),
    description: textOf('description'),
    assigneeId: textOf('assigneeId'),
    labels: textOf('labels'),
    dueDate: textOf('dueDate'),
    priority: TASK_PRIORITIES.find((priority) => priority === kept.priority) ?? empty.priority,
  };
}

function parsed(text: string | undefined): Partial<Record<keyof TaskDraft, unknown>> {
  if (text === undefined) return {};
  try {
    const kept: unknown = JSON.parse(text);
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** What is empty is left out. */
export function bodyOf({
  assigneeId,
  description,
  title,
  labels,
  dueDate,
  ...rest
}: TaskDraft): CreateTaskBody {
  return {
    ...rest,
    title: title.trim(),
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(assigneeId !== '' && { assigneeId }),
    labels: labelsOf(labels),
    ...(dueDate !== '' && { dueDate }),
  };
}

/** Each label once, in the order of writing. */
function labelsOf(text: string): string[] {
  const labels = text.split(/[,、，]/).map((label) => label.trim());
  return [...new Set(labels.filter((label) => label !== ''))];
}
