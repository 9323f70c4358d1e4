import type { Agent } from '@aizuchi/shared/contract/agent';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import type { DraftField, TaskDraft } from './task-draft.ts';

interface ConflictNoteProps {
  /** What the other person changed. */
  readonly fields: readonly DraftField[];
  readonly theirs: TaskDraft;
  readonly members: readonly Agent[];
  readonly onTakeTheirs: () => void;
}

/** Another person changed the task: shows the current values. Saving applies one's own changes on top of them. */
export function ConflictNote({ fields, theirs, members, onTakeTheirs }: ConflictNoteProps) {
  const { t } = useTranslation();
  const labels: Record<DraftField, string> = {
    title: t('board.title'),
    description: t('board.description'),
    status: t('board.column'),
    priority: t('board.priorityLabel'),
    assigneeId: t('board.assignee'),
    labels: t('board.labels'),
    dueDate: t('board.dueDate'),
  };
  const values: Record<DraftField, string> = {
    title: theirs.title,
    description: theirs.description,
    status: t(`board.status.${theirs.status}`),
    priority: t(`board.priority.${theirs.priority}`),
    assigneeId: members.find(({ id }) => id === theirs.assigneeId)?.name ?? theirs.assigneeId,
    labels: theirs.labels,
    dueDate: theirs.dueDate,
  };
  return (
    <div
      role="alert"
      data-testid="task-conflict"
      className="flex items-start gap-2 rounded-md border border-amber-line bg-amber-soft px-3 py-2 text-13 text-amber-ink"
    >
      <Icon name="people" className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{t('board.conflict')}</p>
        <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
          {fields.map((field) => (
            <div key={field} className="contents">
              <dt>{labels[field]}</dt>
              <dd className="line-clamp-4 wrap-anywhere text-ink">{values[field] || t('board.none')}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-1 text-12">{t('board.conflictHint')}</p>
        <Button size="sm" className="mt-2" data-testid="task-take-theirs" onClick={onTakeTheirs}>
          {t('board.showTheirs')}
        </Button>
      </div>
    </div>
  );
}
