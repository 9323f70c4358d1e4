import type { Task } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type ActivityLine, activityLines } from './activity-lines.ts';
import { attemptsQuery, commentsQuery, historyQuery } from './task-records.ts';

/** The newest are shown first; more when the person asks. */
const PORTION = 50;

export type ActivityFilter = 'all' | 'comments';

export function useActivity({ projectId, id }: Task) {
  const comments = useQuery(commentsQuery(projectId, id));
  const history = useQuery(historyQuery(projectId, id));
  const attempts = useQuery(attemptsQuery(projectId, id));
  const [filter, setFilter] = useState<ActivityFilter>('all');
  const [most, setMost] = useState(PORTION);
  const lines = useMemo<readonly ActivityLine[]>(() => {
    const all = activityLines({
      comments: comments.data ?? [],
      history: history.data ?? [],
      attempts: attempts.data ?? [],
    });
    return filter === 'all' ? all : all.filter(({ kind }) => kind === 'comment');
  }, [comments.data, history.data, attempts.data, filter]);
  return {
    lines: lines.slice(-most),
    earlier: Math.max(0, lines.length - most),
    showEarlier: () => setMost(most + PORTION),
    filter,
    setFilter,
    isLoading: comments.isPending || history.isPending || attempts.isPending,
    error: comments.error ?? history.error ?? attempts.error,
    retry: () => void Promise.all([comments.refetch(), history.refetch(), attempts.refetch()]),
  };
}
