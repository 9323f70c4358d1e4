import type { Task, TaskField, UpdateTaskBody } from '@aizuchi/shared/contract/task';

/** What a person changes in a task: the body of the PATCH without its version. */
export type TaskChange = Omit<UpdateTaskBody, 'version'>;

const FIELDS: readonly TaskField[] = [
  'status',
  'assigneeId',
  'title',
  'description',
  'priority',
  'parentId',
  'dependsOn',
  'labels',
  'dueDate',
];

/** The fields in which two states of a task differ. */
export function differing(before: Task, after: Task): readonly TaskField[] {
  return FIELDS.filter((field) => !isSame(before[field], after[field]));
}

/**
 * The fields of the change that somebody else has changed since `base`, and to something else: there a person has to
 * decide. Changes of other fields do not stand against it.
 */
export function clashing(base: Task, now: Task, change: TaskChange): readonly TaskField[] {
  return differing(base, now).filter(
    (field) => change[field] !== undefined && !isSame(change[field], now[field]),
  );
}

type Value = string | readonly string[] | null | undefined;

function isSame(one: Value, other: Value): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return JSON.stringify([...(one ?? [])].sort()) === JSON.stringify([...(other ?? [])].sort());
}
