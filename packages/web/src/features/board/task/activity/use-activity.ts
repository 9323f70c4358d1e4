import type { Task } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type ActivityLine, activityLines } from './activity-lines.ts';
import { attemptsQuery, commentsQuery, historyQuery } from './task-records.ts';

/** The newest are shown first; more when the person asks. */
const PORTION = 50;

export type ActivityFilter = 'all' | 'comments';

/** `named`: a comment that is shown however old it is. */
export function useActivity({ projectId, id }: Task, named: string | undefined) {
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
  const namedAt = lines.findIndex((line) => line.kind === 'comment' && line.comment.id === named);
  const count = namedAt < 0 ? most : Math.max(most, lines.length - namedAt);
  return {
    lines: lines.slice(-count),
    earlier: Math.max(0, lines.length - count),
    showEarlier: () => setMost(count + PORTION),
    filter,
    setFilter,
    isLoading: comments.isPending || history.isPending || attempts.isPending,
    error: comments.error ?? history.error ?? attempts.error,
    retry: () => void Promise.all([comments.refetch(), history.refetch(), attempts.refetch()]),
  };
}
