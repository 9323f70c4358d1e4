import { TASK_MOVES } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../components/Button.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { tasksQuery } from '../../../lib/queries/queries.ts';
import type { Move } from '../task/use-task-mutations.ts';
import type { MoveFailure } from './use-moves.ts';

interface MoveErrorProps {
  readonly failure: MoveFailure;
  readonly onRetry: (move: Move) => void;
}

/** Why a move was undone; the same move can be tried again from where the card is now. */
export function MoveError({ failure: { task, to, after, error, dismiss }, onRetry }: MoveErrorProps) {
  const { t } = useTranslation();
  const { data: tasks } = useQuery(tasksQuery(task.projectId));
  const now = tasks?.find((one) => one.id === task.id);
  const canRetry =
    now !== undefined && (now.status !== to || after !== undefined) && TASK_MOVES[now.status][to];
  return (
    <div className="flex items-start gap-1 px-4 pt-3">
      <ErrorNote
        error={error}
        title={t('board.moveFailed', { title: task.title, column: t(`board.status.${to}`) })}
        {...(canRetry && {
          onRetry: () => onRetry({ task: now, to, ...(after !== undefined && { after }) }),
        })}
        className="min-w-0 flex-1"
      />
      <IconButton icon="close" label={t('board.dismiss')} onClick={dismiss} />
    </div>
  );
}
