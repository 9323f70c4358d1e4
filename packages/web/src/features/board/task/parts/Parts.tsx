import type { Task } from '@aizuchi/shared/contract/task';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { QuickAdd } from '../../add/QuickAdd.tsx';
import { StatusIcon } from '../../card/StatusIcon.tsx';
import { TaskLink } from '../TaskLink.tsx';

interface PartsProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly canWrite: boolean;
}

/** The tasks that are parts of this one, how many of them are done, and a line to add the next. */
export function Parts({ task, tasks, canWrite }: PartsProps) {
  const { t } = useTranslation();
  const id = useId();
  const nameOf = useNameOf();
  const [isAdding, setIsAdding] = useState(false);
  const parts = useMemo(
    () => tasks.filter(({ parentId }) => parentId === task.id).toSorted((a, b) => a.position - b.position),
    [tasks, task.id],
  );
  if (parts.length === 0 && !canWrite) return null;
  return (
    <section aria-labelledby={id} data-testid="task-parts" className="flex flex-col gap-1">
      <div className="flex min-h-7 items-center gap-2">
        <h3 id={id} className="text-12 font-semibold">
          {t('task.parts')}
        </h3>
        {task.parts && (
          <span className="num text-12 text-ink-3">
            {t('task.partsDone', { done: task.parts.done, count: task.parts.total })}
          </span>
        )}
        <span className="flex-1" />
        {canWrite && !isAdding && (
          <Button
            size="sm"
            variant="quiet"
            icon="plus"
            data-testid="task-add-part"
            onClick={() => setIsAdding(true)}
          >
            {t('task.addPart')}
          </Button>
        )}
      </div>
      {task.parts && task.parts.total > 0 && (
        <progress
          aria-label={t('task.parts')}
          max={task.parts.total}
          value={task.parts.done}
          className="h-1 w-full appearance-none overflow-hidden rounded-full [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        />
      )}
      <ul>
        {parts.map((part) => (
          <li key={part.id} className="flex min-h-7 items-center gap-2 text-13">
            <span title={t(`board.status.${part.status}`)}>
              <StatusIcon status={part.status} />
              <span className="sr-only">{t(`board.status.${part.status}`)}</span>
            </span>
            <span className="min-w-0 flex-1">
              <TaskLink id={part.id}>{part.title}</TaskLink>
            </span>
            {part.assigneeId !== undefined && (
              <span className="max-w-32 truncate text-12 text-ink-3">{nameOf(part.assigneeId)}</span>
            )}
          </li>
        ))}
      </ul>
      {isAdding && (
        <QuickAdd
          projectId={task.projectId}
          status="backlog"
          parentId={task.id}
          label={t('task.addPart')}
          takesFocus
          onLeave={() => setIsAdding(false)}
        />
      )}
    </section>
  );
}
