import type { Task } from '@aizuchi/shared/contract/task';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../../components/Button.tsx';
import { StatusIcon } from '../../card/StatusIcon.tsx';
import { TaskLink } from '../TaskLink.tsx';
import { TaskPicker } from './TaskPicker.tsx';
import type { SaveTask } from './use-save-task.ts';

interface DependencyListProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly save: SaveTask;
  readonly canWrite: boolean;
}

/** What the task waits for, and what waits for it. */
export function DependencyList({ task, tasks, save, canWrite }: DependencyListProps) {
  const { t } = useTranslation();
  const byId = useMemo(() => new Map(tasks.map((one) => [one.id, one])), [tasks]);
  const waiting = useMemo(() => tasks.filter((one) => one.dependsOn.includes(task.id)), [tasks, task.id]);
  // On top of what stands there then: somebody may have added another one meanwhile.
  const add = (id: string) =>
    save.mutate({ base: task, change: (now) => ({ dependsOn: [...new Set([...now.dependsOn, id])] }) });
  const remove = (id: string) =>
    save.mutate({ base: task, change: (now) => ({ dependsOn: now.dependsOn.filter((one) => one !== id) }) });
  if (!canWrite && task.dependsOn.length === 0 && waiting.length === 0) return null;
  return (
    <section aria-label={t('board.dependsOn')} data-testid="task-dependencies">
      <h3 className="flex h-6 items-center gap-2 text-12 font-semibold">
        {t('board.dependsOn')}
        <span className="num font-normal text-ink-3">{task.dependsOn.length}</span>
      </h3>
      <ul>
        {task.dependsOn.map((id) => (
          <Line key={id} id={id} task={byId.get(id)}>
            {canWrite && (
              <IconButton
                icon="close"
                label={t('task.removeDependency', { title: byId.get(id)?.title ?? id })}
                onClick={() => remove(id)}
              />
            )}
          </Line>
        ))}
      </ul>
      {canWrite && task.dependsOn.length < 100 && (
        <TaskPicker
          label={t('task.addDependency')}
          task={task}
          tasks={tasks}
          relation="dependsOn"
          onPick={add}
        />
      )}
      {waiting.length > 0 && (
        <>
          <h3 className="mt-2 flex h-6 items-center gap-2 text-12 font-semibold">
            {t('task.waiting')}
            <span className="num font-normal text-ink-3">{waiting.length}</span>
          </h3>
          <ul>
            {waiting.map((one) => (
              <Line key={one.id} id={one.id} task={one} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

interface LineProps {
  readonly id: string;
  readonly task: Task | undefined;
  readonly children?: ReactNode;
}

function Line({ id, task, children }: LineProps) {
  const { t } = useTranslation();
  return (
    <li className="flex min-h-7 items-center gap-2 text-12">
      {task && (
        <span title={t(`board.status.${task.status}`)}>
          <StatusIcon status={task.status} />
          <span className="sr-only">{t(`board.status.${task.status}`)}</span>
        </span>
      )}
      <span className="min-w-0 flex-1">
        <TaskLink id={id}>{task?.title ?? id}</TaskLink>
      </span>
      {children}
    </li>
  );
}
