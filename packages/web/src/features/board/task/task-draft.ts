import type { CreateTaskBody, Task } from '@aizuchi/shared/contract/task';

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
