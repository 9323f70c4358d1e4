import type { Task } from '@aizuchi/shared/contract/task';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';
import { Time } from '../../../components/Time.tsx';
import { dayOf, useNow } from '../../../lib/time.ts';
import { shortId } from '../columns.ts';
import { PriorityMark } from './PriorityMark.tsx';

interface CardFactsProps {
  readonly task: Task;
  /** Done or cancelled. */
  readonly isOver: boolean;
}

/**
 * Priority (or when it ended), id, when it is due, and what hangs on the task. What has no room wraps into a line that is
 * not seen, whole: a date of which only the first digit is left says something else.
 */
export function CardFacts({ task, isOver }: CardFactsProps) {
  const { t } = useTranslation();
  const { dependsOn, comments, parts, dueDate } = task;
  return (
    <span className="flex h-5 min-w-0 flex-1 flex-wrap content-start items-center gap-x-2 gap-y-5 overflow-hidden">
      {!isOver && <PriorityMark priority={task.priority} />}
      <span className="flex-none font-mono leading-5" title={task.id}>
        {shortId(task.id)}
      </span>
      {isOver && <Time at={task.updatedAt} />}
      {dueDate !== undefined && !isOver && <DueDate day={dueDate} />}
      {dependsOn.length > 0 && (
        <Count icon="link" label={t('board.dependsOn')} text={`${dependsOn.length}`} />
      )}
      {parts && (
        <Count icon="done" label={t('board.partsDone', parts)} text={`${parts.done}/${parts.total}`} />
      )}
      {comments > 0 && <Count icon="comment" label={t('board.comments')} text={`${comments}`} />}
    </span>
  );
}

/** On a line of their own: beside the other facts one letter would be left of them. */
export function CardLabels({ labels }: { readonly labels: readonly string[] }) {
  if (labels.length === 0) return null;
  return (
    <span className="truncate text-11 text-ink-3" title={labels.join(', ')}>
      {labels.join(', ')}
    </span>
  );
}

function Count({
  icon,
  label,
  text,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly text: string;
}) {
  return (
    <span className="num flex flex-none items-center gap-0.5" title={label}>
      <Icon name={icon} size={14} />
      <span className="sr-only">{label}</span>
      {text}
    </span>
  );
}

/** Amber from the day on. */
function DueDate({ day }: { readonly day: string }) {
  const { t, i18n } = useTranslation();
  const now = useNow(60_000);
  const date = new Date(`${day}T00:00`);
  return (
    <span
      data-testid="card-due"
      title={`${t('board.dueDate')}: ${day}`}
      className={clsx('num flex-none', date <= now && 'text-amber-ink')}
    >
      {dayOf(date, now, i18n.language)}
    </span>
  );
}
