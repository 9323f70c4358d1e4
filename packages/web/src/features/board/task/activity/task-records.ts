import type { HistoryEntry, TaskComment } from '@aizuchi/shared/contract/task';
import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../../../lib/api/call-api.ts';
import { keys } from '../../../../lib/queries/keys.ts';
import { allPages } from '../../../../lib/queries/queries.ts';

/* What belongs to one task. A frame about the task reads it again. */

export const commentsQuery = (pid: string, tid: string) =>
  queryOptions({
    queryKey: keys.task(pid, tid, 'comments'),
    queryFn: ({ signal }) =>
      allPages<TaskComment>(async (page) => {
        const { comments, nextCursor } = await callApi('listTaskComments', {
          params: { tid },
          query: page,
          signal,
        });
        return { items: comments, nextCursor };
      }),
  });

export const historyQuery = (pid: string, tid: string) =>
  queryOptions({
    queryKey: keys.task(pid, tid, 'history'),
    queryFn: ({ signal }) =>
      allPages<HistoryEntry>(async (page) => {
        const { entries, nextCursor } = await callApi('listTaskHistory', {
          params: { tid },
          query: page,
          signal,
        });
        return { items: entries, nextCursor };
      }),
  });

export const attemptsQuery = (pid: string, tid: string) =>
  queryOptions({
    queryKey: keys.task(pid, tid, 'attempts'),
    queryFn: async ({ signal }) => (await callApi('listTaskAttempts', { params: { tid }, signal })).attempts,
  });
