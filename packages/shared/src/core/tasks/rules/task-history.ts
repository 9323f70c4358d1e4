import { TASK_FIELDS, type TaskField } from './task-fields.ts';

/** The fields of a task of which a history is kept. */
export type TrackedTask = Partial<Record<TaskField, string | readonly string[] | null | undefined>>;

export interface FieldChange {
  readonly field: TaskField;
  readonly from: string | null;
  readonly to: string | null;
}

/** A longer text is kept by its beginning. */
const MAX_TEXT = 1_000;

/** What differs. A field that `after` does not name has not changed. */
export function changesOf(before: TrackedTask, after: TrackedTask): FieldChange[] {
  return TASK_FIELDS.flatMap((field) => {
    if (after[field] === undefined) return [];
    const [from, to] = [wordsOf(before[field]), wordsOf(after[field])];
    return from === to ? [] : [{ field, from: cut(from), to: cut(to) }];
  });
}

function wordsOf(value: TrackedTask[TaskField]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  return value.length === 0 ? null : [...value].sort().join(', ');
}

function cut(text: string | null): string | null {
  if (text === null || text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…`;
}
