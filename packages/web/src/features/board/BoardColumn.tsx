import type { Task } from '@aizuchi/shared/contract/task';
import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import clsx from 'clsx';
import { memo, type ReactNode, useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { QuickAdd } from './add/QuickAdd.tsx';
import { StatusIcon } from './card/StatusIcon.tsx';
import { isOrdered } from './columns.ts';
import type { Drop } from './move/use-dragging.ts';
import { useDropTarget } from './move/use-drop-target.ts';

/**
 * Above this count, cards out of view are not laid out. Below it they are: otherwise a tap during scrolling could
 * miss its card.
 */
const LAZY_LAYOUT_FROM = 50;
/** More than a screen shows; the others are rendered later, without blocking input. */
const FIRST_CARDS = 16;

interface BoardColumnProps {
  readonly status: TaskStatus;
  readonly tasks: readonly Task[];
  /** The one card that Tab reaches. */
  readonly tabStop: string | undefined;
  /** Whether the card that is being dragged may be dropped here. */
  readonly drop: Drop;
  /** Why not. */
  readonly refusal: string | undefined;
  readonly isBoardEmpty: boolean;
  readonly projectId: string;
  readonly onCreate: ((status: TaskStatus) => void) | undefined;
  readonly renderCard: (task: Task, isTabStop: boolean) => ReactNode;
}

export function BoardColumn({
  projectId,
  status,
  tasks,
  tabStop,
  drop,
  refusal,
  isBoardEmpty,
  onCreate,
  renderCard,
}: BoardColumnProps) {
  const { t } = useTranslation();
  const id = useId();
  const { element, isOver } = useDropTarget(status);
  const name = t(`board.status.${status}`);
  const count = tasks.length;
  return (
    <section
      ref={element}
      aria-labelledby={id}
      data-testid={`column-${status}`}
      data-drop={drop}
      className={clsx(
        'group/column flex min-h-0 min-w-0 snap-start flex-col gap-2 rounded-md transition-opacity duration-100',
        drop === 'refused' && 'relative [&>:not([data-why])]:opacity-50',
        drop === 'possible' && !isOver && 'outline outline-dashed outline-line-strong',
        isOver && drop === 'possible' && 'bg-accent-soft outline outline-accent',
      )}
    >
      <div className="flex h-6 flex-none items-center gap-1.5 px-1 text-12 font-semibold">
        <StatusIcon status={status} />
        <h2 id={id}>{name}</h2>
        <span className="num font-normal text-ink-3">{count}</span>
        <span className="flex-1" />
        {onCreate && drop !== 'refused' && (
          <span className="opacity-0 group-hover/column:opacity-100 has-[:focus-visible]:opacity-100 pointer-coarse:opacity-100">
            <IconButton
              icon="plus"
              label={t('board.newIn', { column: name })}
              onClick={() => onCreate(status)}
            />
          </span>
        )}
      </div>
      {refusal !== undefined && <Refusal>{refusal}</Refusal>}
      {isBoardEmpty ? (
        <div className="h-16 rounded-md border border-dashed border-line-strong" />
      ) : (
        count > 0 && (
          <ul
            aria-labelledby={id}
            data-long={count > LAZY_LAYOUT_FROM || undefined}
            className="-mx-1 -mt-1 flex min-h-0 flex-col gap-2 overflow-y-auto px-1 pt-1 pb-1"
          >
            <Cards tasks={tasks} tabStop={tabStop} renderCard={renderCard} />
          </ul>
        )
      )}
      {onCreate && isOrdered(status) && <ColumnFoot projectId={projectId} status={status} name={name} />}
    </section>
  );
}

/** Over the cards, which must not jump when another one is dragged. */
export function Refusal({ children }: { readonly children: string }) {
  return (
    <p
      data-why
      className="absolute inset-x-0 top-7 z-10 rounded-md border border-line-strong bg-surface px-2 py-1 text-11"
    >
      {children}
    </p>
  );
}

/** Adds tasks at the end of the column: Enter adds one and waits for the next. */
function ColumnFoot({
  projectId,
  status,
  name,
}: Pick<BoardColumnProps, 'projectId' | 'status'> & { readonly name: string }) {
  const { t } = useTranslation();
  const [isAdding, setIsAdding] = useState(false);
  if (isAdding)
    return (
      <QuickAdd
        projectId={projectId}
        status={status}
        label={t('board.newIn', { column: name })}
        takesFocus
        onLeave={() => setIsAdding(false)}
      />
    );
  return (
    <button
      type="button"
      data-testid={`quick-add-${status}`}
      onClick={() => setIsAdding(true)}
      className="flex h-8 flex-none items-center gap-1.5 rounded-md px-2 text-12 text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:h-10"
    >
      <Icon name="plus" size={14} />
      {t('board.quickAdd')}
      <span className="sr-only"> {name}</span>
    </button>
  );
}

/** Not rendered again with the rest of the board: a letter in the filter would cost a thousand cards. */
const Cards = memo(function Cards({
  tasks,
  tabStop,
  renderCard,
}: Pick<BoardColumnProps, 'tasks' | 'tabStop' | 'renderCard'>) {
  const limit = useDeferredValue(Number.POSITIVE_INFINITY, FIRST_CARDS);
  return tasks.slice(0, limit).map((task) => renderCard(task, task.id === tabStop));
});
