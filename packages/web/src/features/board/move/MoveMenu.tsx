import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import clsx from 'clsx';
import { DropdownMenu } from 'radix-ui';
import { useTranslation } from 'react-i18next';
import { StatusIcon } from '../card/StatusIcon.tsx';
import { useWayWords } from './use-way-words.ts';

export interface OpenMenu {
  readonly taskId: string;
  /** The button to which it is attached. */
  readonly anchor: DOMRect;
}

export interface MoveMenuProps {
  /** Absent: it is closed. It stays mounted, so that it knows whether a key opens it. */
  readonly task: Task | undefined;
  readonly anchor: DOMRect | undefined;
  readonly onMove: (task: Task, to: TaskStatus) => void;
  /** Called while the focus is still inside: it must go back to the card. */
  readonly onClose: () => void;
}

/** All other columns, and why the card may not go to some of them directly: one menu for the whole board, positioned at the card's button. */
export function MoveMenu({ task, anchor, onMove, onClose }: MoveMenuProps) {
  const { t } = useTranslation();
  const wayWords = useWayWords();
  const isOpen = task !== undefined && anchor !== undefined;
  return (
    <DropdownMenu.Root open={isOpen} modal={false} onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          aria-label={t('board.moveNamed', { title: task?.title ?? '' })}
          className="pointer-events-none fixed"
          style={anchor && { left: anchor.left, top: anchor.top, width: anchor.width, height: anchor.height }}
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        collisionPadding={8}
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="z-50 min-w-44 rounded-md border border-line-strong bg-surface p-1"
      >
        <DropdownMenu.Label className="px-2 py-1 text-12 text-ink-3">{t('board.moveTo')}</DropdownMenu.Label>
        {task &&
          TASK_STATUSES.filter((to) => to !== task.status).map((to) => (
            <MoveItem key={to} to={to} why={wayWords(task.status, to)} onSelect={() => onMove(task, to)} />
          ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

interface MoveItemProps {
  readonly to: TaskStatus;
  /** Why it cannot be chosen. */
  readonly why: string | undefined;
  readonly onSelect: () => void;
}

/** One that cannot be chosen is reached by the arrow keys all the same: it says why. */
function MoveItem({ to, why, onSelect }: MoveItemProps) {
  const { t } = useTranslation();
  return (
    <DropdownMenu.Item
      data-testid={`move-to-${to}`}
      aria-disabled={why !== undefined || undefined}
      onSelect={(event) => (why === undefined ? onSelect() : event.preventDefault())}
      className={clsx(
        'flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-13 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-9',
        why !== undefined && 'text-ink-3',
      )}
    >
      <StatusIcon status={to} />
      {t(`board.status.${to}`)}
      {why !== undefined && <span className="ml-auto pl-3 text-11">{why}</span>}
    </DropdownMenu.Item>
  );
}
