import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES, type TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Arrow, type Columns, cardBeside, isArrow, isOrdered, moveTowards } from './columns.ts';
import { placeOneFurther } from './move/place.ts';
import type { Move } from './task/use-task-mutations.ts';

interface BoardKeysInput {
  readonly columns: Columns<Task>;
  readonly canWrite: boolean;
  readonly move: (move: Move) => void;
  readonly openMenu: (task: Task, anchor: HTMLElement) => void;
  readonly openTask: (id: string) => void;
}

/** Arrow keys move the focus between cards, Shift with an arrow moves the card, m opens the menu of columns. */
export function useBoardKeys({ columns, canWrite, move, openMenu, openTask }: BoardKeysInput) {
  const [activeId, setActiveId] = useState<string>();
  const keptId = useRef<string>(undefined);
  const tabStops = useMemo(() => tabStopsOf(columns, activeId), [columns, activeId]);

  // A card that was moved is another element in another column: the focus follows it, unless the person is elsewhere.
  useLayoutEffect(() => {
    const id = keptId.current;
    if (id === undefined || document.activeElement === linkOf(id)) return;
    if (!isFocusFree()) keptId.current = undefined;
    else if (columns && linkOf(id)) focusCard(id);
  }, [columns]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const task = taskAt(columns, event.target);
    if (!task || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'm' && !event.shiftKey && canWrite) {
      event.preventDefault();
      const card = cardOf(task.id);
      if (card) openMenu(task, card);
      return;
    }
    if (!isArrow(event.key)) return;
    event.preventDefault();
    if (!event.shiftKey) {
      const next = cardBeside(columns, task.id, event.key);
      if (next) focusCard(next.id);
      return;
    }
    const next = canWrite && moveBy(columns, task, event.key);
    if (!next) return;
    keptId.current = task.id;
    move(next);
  };

  /** A plain click opens the task on this page; with a modifier key the browser opens it in another tab. */
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!(event.target instanceof Element) || !event.target.closest('a')) return;
    const id = idAt(event.target);
    if (id === undefined) return;
    event.preventDefault();
    openTask(id);
  };

  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const id = idAt(event.target);
    if (id === undefined) return;
    setActiveId(id);
    if (keptId.current !== id) keptId.current = undefined;
  };

  return {
    tabStops,
    handlers: { onKeyDown, onFocus, onClick },
    focus: focusCard,
    keepFocusOn: (id: string) => {
      keptId.current = id;
    },
  };
}

/** Shift with an arrow: to the next column that it may go to, or one card up or down in its own. */
function moveBy(columns: Columns<Task>, task: Task, key: Arrow): Move | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const to = moveTowards(task.status, key === 'ArrowRight' ? 1 : -1);
    return to && { task, to };
  }
  if (!isOrdered(task.status)) return undefined;
  const after = placeOneFurther(columns[task.status], task.id, key === 'ArrowUp' ? 'up' : 'down');
  return after === undefined ? undefined : { task, to: task.status, after };
}

function tabStopsOf(
  columns: Columns<Task>,
  activeId: string | undefined,
): Partial<Record<TaskStatus, string>> {
  return Object.fromEntries(
    TASK_STATUSES.map((status) => {
      const cards = columns[status];
      return [status, (cards.find((task) => task.id === activeId) ?? cards[0])?.id];
    }),
  );
}

function taskAt(columns: Columns<Task>, target: EventTarget): Task | undefined {
  const id = idAt(target);
  return TASK_STATUSES.flatMap((status) => columns[status]).find((task) => task.id === id);
}

function idAt(target: EventTarget): string | undefined {
  return target instanceof Element
    ? target.closest('[data-task]')?.getAttribute('data-task') || undefined
    : undefined;
}

function cardOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);
}

function linkOf(id: string): HTMLElement | null {
  return cardOf(id)?.querySelector('a') ?? null;
}

/** With a card that was moved goes its focus; that of the menu of columns comes back to the card. */
function isFocusFree(): boolean {
  const { activeElement } = document;
  return (
    activeElement === null || activeElement === document.body || activeElement.closest('[role=menu]') !== null
  );
}

function focusCard(id: string): void {
  const link = linkOf(id);
  link?.focus({ preventScroll: true });
  link?.closest('li')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
