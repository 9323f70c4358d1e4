import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { movesFrom } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { DropdownMenu } from 'radix-ui';
import { useTranslation } from 'react-i18next';
import { StatusIcon } from '../card/StatusIcon.tsx';

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

/** The columns to which the card may be moved: one menu for the whole board, positioned at the card's button. */
export function MoveMenu({ task, anchor, onMove, onClose }: MoveMenuProps) {
  const { t } = useTranslation();
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
          movesFrom(task.status).map((to) => (
            <DropdownMenu.Item
              key={to}
              data-testid={`move-to-${to}`}
              onSelect={() => onMove(task, to)}
              className="flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-13 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-9"
            >
              <StatusIcon status={to} />
              {t(`board.status.${to}`)}
            </DropdownMenu.Item>
          ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
