import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Move } from '../task/use-task-mutations.ts';

/** The card that is being dragged; dropping it on a column moves it there. */
export function useDragging(
  tasks: readonly Task[] | undefined,
  move: (move: Move) => void,
): Task | undefined {
  const [dragging, setDragging] = useState<Task>();
  const find = (id: unknown) => tasks?.find((task) => task.id === id);
  const start = useEffectEvent((id: unknown) => setDragging(find(id)));
  const drop = useEffectEvent((id: unknown, column: unknown) => {
    setDragging(undefined);
    const task = find(id);
    const to = TASK_STATUSES.find((status) => status === column);
    if (task && to) move({ task, to });
  });
  useEffect(
    () =>
      monitorForElements({
        canMonitor: ({ source }) => source.data.taskId !== undefined,
        onDragStart: ({ source }) => start(source.data.taskId),
        onDrop: ({ source, location }) =>
          drop(source.data.taskId, location.current.dropTargets[0]?.data.status),
      }),
    [],
  );
  return dragging;
}

export function dropOf(dragging: Task | undefined, status: TaskStatus): 'none' | 'possible' | 'refused' {
  if (!dragging || dragging.status === status) return 'none';
  return TASK_MOVES[dragging.status][status] ? 'possible' : 'refused';
}
