import type { Task } from '@aizuchi/shared/contract/task';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';
import type { DueFilter } from './board-search.ts';

/** Which tasks a board shows. It stands in the address. */
export interface TaskFilter {
  /** An id of an agent or person; `me`; `none`: nobody. */
  readonly who?: string;
  readonly label?: string;
  /** A part of the title, the description or the id. */
  readonly find?: string;
  readonly due?: DueFilter;
}

interface Context {
  readonly me: string | undefined;
  /** The day here, as 2026-11-27. */
  readonly today: string;
}

export function countFilters({ who, label, find, due }: TaskFilter): number {
  return [who, label, find, due].filter((one) => one !== undefined).length;
}

/** The same array when nothing is filtered. */
export function filterTasks(tasks: readonly Task[], filter: TaskFilter, context: Context): readonly Task[] {
  if (countFilters(filter) === 0) return tasks;
  const { who, label, find, due } = filter;
  const assignee = who === 'me' ? context.me : who;
  const needle = find?.trim().toLowerCase() ?? '';
  return tasks.filter((task) => {
    if (who === 'none' && task.assigneeId !== undefined) return false;
    if (who !== undefined && who !== 'none' && task.assigneeId !== assignee) return false;
    if (label !== undefined && !task.labels.includes(label)) return false;
    if (needle !== '' && !holds(task, needle)) return false;
    return due === undefined || isDue(task, due, context.today);
  });
}

function holds({ id, title, description }: Task, needle: string): boolean {
  return [title, id, description].some((text) => text.toLowerCase().includes(needle));
}

function isDue({ dueDate, status }: Task, due: DueFilter, today: string): boolean {
  if (due === 'none') return dueDate === undefined;
  if (dueDate === undefined || isClosed(status)) return false;
  return due === 'overdue' ? dueDate < today : dueDate <= daysAfter(today, 7);
}

/** Days have one format, so comparing the texts compares the days. */
function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

/** The day here. */
export function dayHere(now: Date): string {
  const part = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`;
}
