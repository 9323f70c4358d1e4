import type { HistoryEntry, TaskComment } from '@aizuchi/shared/contract/task';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callApi } from '../../../../lib/api/call-api.ts';
import { keys } from '../../../../lib/queries/keys.ts';
import { allPages } from '../../../../lib/queries/queries.ts';
import { timelineOf } from './activity.ts';

/** Comments, changes and attempts of a task in one order. Frames of the task read them again. */
export function useTaskActivity(projectId: string, taskId: string) {
  const params = { tid: taskId };
  const { data, error, refetch } = useQuery({
    queryKey: keys.taskActivity(projectId, taskId),
    queryFn: async ({ signal }) => {
      const [comments, entries, { attempts }] = await Promise.all([
        allPages<TaskComment>(async (query) => {
          const page = await callApi('listTaskComments', { params, query, signal });
          return { items: page.comments, nextCursor: page.nextCursor };
        }),
        allPages<HistoryEntry>(async (query) => {
          const page = await callApi('listTaskHistory', { params, query, signal });
          return { items: page.entries, nextCursor: page.nextCursor };
        }),
        callApi('listTaskAttempts', { params, signal }),
      ]);
      return { comments, entries, attempts };
    },
  });
  const timeline = useMemo(() => data && timelineOf(data), [data]);
  return { timeline, error, retry: () => void refetch() };
}

export function useComments(projectId: string, taskId: string) {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: keys.taskActivity(projectId, taskId) });
  const write = useMutation({
    mutationFn: (body: string) => callApi('createTaskComment', { params: { tid: taskId }, body: { body } }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: (commentId: string) => callApi('deleteTaskComment', { params: { tid: taskId, commentId } }),
    onSuccess,
  });
  return { write, remove };
}
