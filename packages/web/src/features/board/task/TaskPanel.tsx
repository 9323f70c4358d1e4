import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { useEscape } from '../../../lib/hooks/use-escape.ts';
import { TaskBody } from './TaskBody.tsx';
import { TaskHead } from './TaskHead.tsx';

export interface TaskPanelProps {
  readonly projectId: string;
  readonly taskId: string;
  /** All of the project. */
  readonly tasks: readonly Task[];
  /** The cards of its column, in their order: the ones before and after can be opened from here. */
  readonly column: readonly Task[];
  readonly members: readonly Agent[];
  readonly canWrite: boolean;
  readonly onOpen: (taskId: string) => void;
  readonly onClose: () => void;
}

/** One task beside the board, on a phone instead of it. It has no button to save: each field saves itself. */
export function TaskPanel(props: TaskPanelProps) {
  const { t } = useTranslation();
  const { taskId, tasks, onClose } = props;
  const task = tasks.find(({ id }) => id === taskId);
  useEscape(true, 'task', onClose);
  return (
    <aside
      aria-label={t('board.task')}
      data-testid="task-panel"
      data-panel="task"
      className="@container flex min-h-0 flex-col border-l border-line-strong bg-surface max-md:fixed max-md:inset-0 max-md:z-30 max-md:border-l-0 md:w-[min(784px,58%)] md:min-w-[420px] md:flex-none"
    >
      {task ? (
        <>
          <TaskHead key={taskId} {...props} task={task} />
          <TaskBody key={`${taskId} body`} {...props} task={task} />
        </>
      ) : (
        <div className="p-4">
          <EmptyState
            icon="board"
            title={t('errors.task_not_found')}
            action={<Button onClick={onClose}>{t('common.close')}</Button>}
          >
            {t('task.notFoundText')}
          </EmptyState>
        </div>
      )}
    </aside>
  );
}
