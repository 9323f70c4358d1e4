import type { TaskStatus } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { wayTo } from './way.ts';

/** The columns that a task has to go through first, in words; undefined: it may go there directly. */
export function useWay() {
  const { t } = useTranslation();
  return useCallback(
    (from: TaskStatus, to: TaskStatus) => {
      const way = wayTo(from, to);
      return way.length === 0 ? undefined : way.map((status) => t(`board.status.${status}`)).join(' → ');
    },
    [t],
  );
}

/** Why a task may not go there directly; undefined: it may. */
export function useWayWords() {
  const { t } = useTranslation();
  const wayOf = useWay();
  return (from: TaskStatus, to: TaskStatus) => {
    const columns = wayOf(from, to);
    return columns === undefined ? undefined : t('board.onlyVia', { columns });
  };
}
