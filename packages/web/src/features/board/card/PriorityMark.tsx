import { TASK_PRIORITIES, type TaskPriority } from '@aizuchi/shared/core/tasks/rules/task-status';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';

const HEIGHTS = ['h-[5px]', 'h-2', 'h-[11px]'] as const;

/** One to three bars; urgent has all three in red. */
export function PriorityMark({ priority }: { readonly priority: TaskPriority }) {
  const { t } = useTranslation();
  const label = t('board.priorityIs', { priority: t(`board.priority.${priority}`) });
  const level = TASK_PRIORITIES.indexOf(priority) + 1;
  const isUrgent = priority === 'urgent';
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className="flex h-3 w-3 flex-none items-end gap-[1.5px]"
    >
      {HEIGHTS.map((height, index) => (
        <span
          key={height}
          className={clsx(
            'w-[3px] rounded-[1px]',
            height,
            index >= level ? 'bg-line-strong' : isUrgent ? 'bg-red' : 'bg-ink-2',
          )}
        />
      ))}
    </span>
  );
}
