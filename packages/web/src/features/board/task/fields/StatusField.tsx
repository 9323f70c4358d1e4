import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useTranslation } from 'react-i18next';
import { useWayWords } from '../../move/use-way-words.ts';
import { Property, QUIET_SELECT } from './property.tsx';
import type { TaskChange } from './task-change.ts';

interface StatusFieldProps {
  readonly task: Task;
  readonly canWrite: boolean;
  readonly onChange: (change: TaskChange) => void;
}

/** All columns. One to which the task may not go directly says which others come before it. */
export function StatusField({ task, canWrite, onChange }: StatusFieldProps) {
  const { t } = useTranslation();
  const wayWords = useWayWords();
  const choices = TASK_STATUSES.map((status) => {
    const why = wayWords(task.status, status);
    const name = t(`board.status.${status}`);
    return { status, isRefused: why !== undefined, text: why === undefined ? name : `${name} (${why})` };
  });
  const refused = choices.filter(({ isRefused }) => isRefused);
  return (
    <Property icon="halfCircle" label={t('board.column')}>
      {(id) => (
        <>
          <select
            id={id}
            aria-describedby={`${id}-refused`}
            data-testid="task-status"
            disabled={!canWrite}
            value={task.status}
            onChange={({ target }) => {
              const status = TASK_STATUSES.find((one) => one === target.value);
              if (status) onChange({ status });
            }}
            className={QUIET_SELECT}
          >
            {choices.map(({ status, text, isRefused }) => (
              <option key={status} value={status} disabled={isRefused}>
                {text}
              </option>
            ))}
          </select>
          {/* The arrow keys pass over the disabled ones. */}
          <span id={`${id}-refused`} hidden>
            {refused.map(({ text }) => text).join(', ')}
          </span>
        </>
      )}
    </Property>
  );
}
