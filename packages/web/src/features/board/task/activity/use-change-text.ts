import type { HistoryEntry } from '@aizuchi/shared/contract/task';
import { TASK_PRIORITIES, TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useTranslation } from 'react-i18next';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';

/** One change of a task in words. */
export function useChangeText(): (entry: HistoryEntry) => string {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  return ({ byId, field, from, to }) => {
    const who = byId === undefined ? t('taskActivity.product') : nameOf(byId);
    switch (field) {
      case 'status': {
        if (from === null) return t('taskActivity.created', { who });
        const status = TASK_STATUSES.find((one) => one === to);
        return t('taskActivity.moved', { who, column: status ? t(`board.status.${status}`) : to });
      }
      case 'assigneeId':
        if (to === null) return t('taskActivity.unassigned', { who });
        return t('taskActivity.assigned', { who, name: nameOf(to) });
      case 'title':
        return t('taskActivity.renamed', { who, from });
      case 'description':
        return t('taskActivity.described', { who });
      case 'priority': {
        const priority = TASK_PRIORITIES.find((one) => one === to);
        return t('taskActivity.priority', { who, priority: priority ? t(`board.priority.${priority}`) : to });
      }
      case 'parentId':
        return t(to === null ? 'taskActivity.noParent' : 'taskActivity.parent', { who });
      case 'dependsOn':
        return t('taskActivity.dependencies', { who });
      case 'labels':
        return to === null
          ? t('taskActivity.noLabels', { who })
          : t('taskActivity.labelled', { who, labels: to });
      case 'dueDate':
        return to === null ? t('taskActivity.noDue', { who }) : t('taskActivity.due', { who, date: to });
    }
  };
}
