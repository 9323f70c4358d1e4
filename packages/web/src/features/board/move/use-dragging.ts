import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useEffectEvent, useState } from 'react';
import { type Columns, isOrdered } from '../columns.ts';
import type { Move } from '../task/use-task-mutations.ts';
import { placeAtEnd, placeBeside } from './place.ts';

interface DropTarget {
  readonly data: Readonly<Record<string | symbol, unknown>>;
}

/** The card that is being dragged; dropping it on a column moves it there, dropping it on a card puts it beside it. */
export function useDragging(columns: Columns<Task>, move: (move: Move) => void): Task | undefined {
  const [dragging, setDragging] = useState<Task>();
  const find = (id: unknown) =>
    TASK_STATUSES.flatMap((status) => columns[status]).find((task) => task.id === id);
  const start = useEffectEvent((id: unknown) => setDragging(find(id)));
  const drop = useEffectEvent((id: unknown, targets: readonly DropTarget[]) => {
    setDragging(undefined);
    const task = find(id);
    const next = task && moveTo(columns, task, targets);
    if (next) move(next);
  });
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => source.data.taskId !== undefined,
        onDragStart: ({ source }) => start(source.data.taskId),
        onDrop: ({ source, location }) => drop(source.data.taskId, location.current.dropTargets),
      }),
    [],
  );
  return dragging;
}

/** The innermost target comes first: a card in a column, or the column itself. */
function moveTo(columns: Columns<Task>, task: Task, targets: readonly DropTarget[]): Move | undefined {
  const to = TASK_STATUSES.find((status) => targets.some(({ data }) => data.status === status));
  if (to === undefined) return undefined;
  if (!isOrdered(to)) return { task, to };
  const card = targets.find(({ data }) => data.cardId !== undefined)?.data;
  const after =
    typeof card?.cardId === 'string'
      ? placeBeside(columns[to], task.id, { id: card.cardId, edge: card.edge === 'top' ? 'top' : 'bottom' })
      : to === task.status
        ? placeAtEnd(columns[to], task.id)
        : undefined;
  return { task, to, ...(after !== undefined && { after }) };
}

export type Drop = 'none' | 'own' | 'possible' | 'refused';

/** Whether the card that is being dragged, from its column, may be dropped on this column; own: it changes its place in it. */
export function dropOf(from: TaskStatus | undefined, status: TaskStatus): Drop {
  if (from === undefined) return 'none';
  if (from === status) return isOrdered(status) ? 'own' : 'none';
  return TASK_MOVES[from][status] ? 'possible' : 'refused';
}
