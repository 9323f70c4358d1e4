import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import type { WriteAccess } from '../../lib/queries/use-write-access.ts';

interface EmptyBoardProps {
  readonly isReadOnly: WriteAccess['isReadOnly'];
  /** Absent: the person may not create tasks. */
  readonly onCreate: (() => void) | undefined;
}

/** Under the empty columns: what a board is, and the first task. */
export function EmptyBoard({ isReadOnly, onCreate }: EmptyBoardProps) {
  const { t } = useTranslation();
  return (
    <div className="px-5 pt-2">
      <EmptyState
        icon="board"
        title={t('board.emptyTitle')}
        action={onCreate && <NewTaskButton onClick={onCreate} isFirst />}
      >
        {t(
          isReadOnly === 'archived'
            ? 'projects.statusNote.archived'
            : isReadOnly === 'viewer'
              ? 'board.emptyTextViewer'
              : 'board.emptyText',
        )}
      </EmptyState>
    </div>
  );
}

interface NewTaskButtonProps {
  readonly onClick: () => void;
  /** On the empty board. */
  readonly isFirst?: boolean;
}

export function NewTaskButton({ onClick, isFirst = false }: NewTaskButtonProps) {
  const { t } = useTranslation();
  return (
    <Button
      variant="primary"
      size={isFirst ? 'md' : 'sm'}
      icon="plus"
      data-testid={isFirst ? 'task-new-first' : 'task-new'}
      aria-keyshortcuts="c"
      onClick={onClick}
    >
      {t('board.newTask')}
      {!isFirst && (
        <span
          aria-hidden="true"
          className="ml-0.5 rounded-sm border border-current px-1 font-mono text-11 leading-[14px] pointer-coarse:hidden"
        >
          c
        </span>
      )}
    </Button>
  );
}
