import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { isClosed, TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';

export type Sortable = {
  readonly id: string;
  readonly status: TaskStatus;
  readonly position: number;
  readonly updatedAt: string;
};

export type Columns<T> = Readonly<Record<TaskStatus, readonly T[]>>;

/** Open columns: in the order that people gave them. Done and cancelled: the latest first. */
export function columnsOf<T extends Sortable>(tasks: readonly T[]): Columns<T> {
  const byStatus = Map.groupBy(tasks, (task) => task.status);
  const column = (status: TaskStatus) =>
    (byStatus.get(status) ?? []).toSorted(isOrdered(status) ? byPosition : byEnd);
  return {
    backlog: column('backlog'),
    todo: column('todo'),
    in_progress: column('in_progress'),
    blocked: column('blocked'),
    done: column('done'),
    cancelled: column('cancelled'),
  };
}

/** People put its cards into order. */
export function isOrdered(status: TaskStatus): boolean {
  return !isClosed(status);
}

function byPosition(a: Sortable, b: Sortable): number {
  return a.position - b.position || compare(a.id, b.id);
}

function byEnd(a: Sortable, b: Sortable): number {
  return compare(b.updatedAt, a.updatedAt) || compare(a.id, b.id);
}

/** The times of the API have one format, so comparing the texts compares the times. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The column to which a key moves the task: the nearest on that side that it may go to directly, but never past Done to
 * Cancelled. Where there is none it is the next one, to which it may not go: the move is refused with words.
 */
export function moveTowards(status: TaskStatus, direction: -1 | 1): TaskStatus | undefined {
  const from = TASK_STATUSES.indexOf(status);
  const onSide =
    direction === 1 ? TASK_STATUSES.slice(from + 1) : TASK_STATUSES.slice(0, Math.max(from, 0)).toReversed();
  const isMeant = (to: TaskStatus) => TASK_MOVES[status][to] && (to !== 'cancelled' || to === onSide[0]);
  return onSide.find(isMeant) ?? onSide[0];
}

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

export function isArrow(key: string): key is Arrow {
  return key === 'ArrowUp' || key === 'ArrowDown' || key === 'ArrowLeft' || key === 'ArrowRight';
}

/** The card that an arrow key focuses: in its column, or at the same index in the next column that has cards. */
export function cardBeside<T extends Sortable>(columns: Columns<T>, id: string, key: Arrow): T | undefined {
  const status = TASK_STATUSES.find((one) => columns[one].some((task) => task.id === id));
  if (status === undefined) return undefined;
  const index = columns[status].findIndex((task) => task.id === id);
  if (key === 'ArrowUp') return columns[status][index - 1];
  if (key === 'ArrowDown') return columns[status][index + 1];
  const from = TASK_STATUSES.indexOf(status);
  const onSide =
    key === 'ArrowRight' ? TASK_STATUSES.slice(from + 1) : TASK_STATUSES.slice(0, from).toReversed();
  const next = onSide.find((one) => columns[one].length > 0);
  return next && (columns[next][index] ?? columns[next].at(-1));
}

/** The end of a generated id is enough to name a card; an id that a person chose is shown whole. */
export function shortId(id: string): string {
  return /^tsk_.{8,}$/.test(id) ? id.slice(-4) : id;
}
