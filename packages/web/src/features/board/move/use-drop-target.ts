import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useRef, useState } from 'react';
import { dropOf } from './use-dragging.ts';

/**
 * A column on which a card may be dropped. It is registered before the card is dragged: the drop may come before the
 * board is drawn anew.
 */
export function useDropTarget(status: TaskStatus) {
  const element = useRef<HTMLElement & HTMLDivElement>(null);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    return dropTargetForElements({
      element: element.current,
      canDrop: ({ source: { data } }) => {
        const from = TASK_STATUSES.find((one) => one === data.from);
        return ['own', 'possible'].includes(dropOf(from, status));
      },
      getData: () => ({ status }),
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    });
  }, [status]);
  return { element, isOver };
}
