import type { HistoryEntry } from '@aizuchi/shared/contract/task';
import { TASK_PRIORITIES, TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useTranslation } from 'react-i18next';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';

/** An entry of the history as a sentence. Ids are shown as names and titles, as far as they are known. */
export function useChangeWords(titleOf: (taskId: string) => string): (entry: HistoryEntry) => string {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const shown = ({ field }: HistoryEntry, value: string): string => {
    switch (field) {
      case 'status': {
        const status = TASK_STATUSES.find((one) => one === value);
        return status ? t(`board.status.${status}`) : value;
      }
      case 'priority': {
        const priority = TASK_PRIORITIES.find((one) => one === value);
        return priority ? t(`board.priority.${priority}`) : value;
      }
      case 'assigneeId':
        return nameOf(value);
      case 'parentId':
        return titleOf(value);
      case 'dependsOn':
        return value.split(', ').map(titleOf).join(t('task.comma'));
      case 'title':
      case 'description':
      case 'labels':
      case 'dueDate':
        return value;
    }
  };
  return (entry) => {
    const who = entry.byId === undefined ? t('task.product') : (entry.byName ?? nameOf(entry.byId));
    const values = {
      who,
      from: entry.from === null ? '' : shown(entry, entry.from),
      to: entry.to === null ? '' : shown(entry, entry.to),
    };
    if (entry.field === 'status') return t(entry.from === null ? 'task.created' : 'task.moved', values);
    if (entry.field === 'description') return t('task.changed.description', values);
    return entry.to === null
      ? t(`task.removed.${entry.field}`, values)
      : t(`task.changed.${entry.field}`, values);
  };
}
