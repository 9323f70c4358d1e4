import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useRef, useState } from 'react';
import { isOrdered } from '../columns.ts';

type Edge = 'top' | 'bottom';

/** A card that can be dragged, and that shows at which of its edges another one will be put. */
export function useDraggable({ id, status }: Pick<Task, 'id' | 'status'>, canMove: boolean) {
  const element = useRef<HTMLLIElement>(null);
  const [isDragging, setIsDragging] = useState(false);
  const [edge, setEdge] = useState<Edge>();
  useEffect(() => {
    const card = element.current;
    if (!card || !canMove) return;
    const clear = () => setEdge(undefined);
    return combine(
      draggable({
        element: card,
        getInitialData: () => ({ taskId: id, from: status }),
        onDragStart: () => setIsDragging(true),
        onDrop: () => setIsDragging(false),
      }),
      dropTargetForElements({
        element: card,
        canDrop: ({ source: { data } }) => {
          const from = TASK_STATUSES.find((one) => one === data.from);
          return isOrdered(status) && data.taskId !== id && from !== undefined && TASK_MOVES[from][status];
        },
        getData: ({ input }) => ({ cardId: id, edge: edgeAt(card, input.clientY) }),
        onDrag: ({ location }) => setEdge(edgeAt(card, location.current.input.clientY)),
        onDragLeave: clear,
        onDrop: clear,
      }),
    );
  }, [id, status, canMove]);
  return { element, isDragging, edge };
}

function edgeAt(card: HTMLElement, y: number): Edge {
  const { top, height } = card.getBoundingClientRect();
  return y < top + height / 2 ? 'top' : 'bottom';
}
