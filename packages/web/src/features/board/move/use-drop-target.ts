import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useEffect, useRef, useState } from 'react';

/** A column on which the card that is being dragged may be dropped. */
export function useDropTarget(status: TaskStatus, canDrop: boolean) {
  const element = useRef<HTMLElement & HTMLDivElement>(null);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!element.current || !canDrop) return;
    const stop = dropTargetForElements({
      element: element.current,
      getData: () => ({ status }),
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: () => setIsOver(false),
    });
    return () => {
      setIsOver(false);
      stop();
    };
  }, [status, canDrop]);
  return { element, isOver };
}
