import type { Task, TaskComment } from '@aizuchi/shared/contract/task';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../../../lib/api/call-api.ts';
import { patchQuery } from '../../../../lib/live/patch-query.ts';
import { keys } from '../../../../lib/queries/keys.ts';

export function useAddComment({ id, projectId }: Task) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { readonly body: string; readonly attachments: string[] }) =>
      callApi('createTaskComment', { params: { tid: id }, body }),
    onSuccess: (comment) =>
      patchQuery<readonly TaskComment[]>(client, keys.task(projectId, id, 'comments'), (comments) =>
        comments.some((one) => one.id === comment.id) ? comments : [...comments, comment],
      ),
  });
}

export function useDeleteComment({ id, projectId }: Task) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (commentId: string) => callApi('deleteTaskComment', { params: { tid: id, commentId } }),
    onSuccess: (_none, commentId) =>
      patchQuery<readonly TaskComment[]>(client, keys.task(projectId, id, 'comments'), (comments) =>
        comments.filter((one) => one.id !== commentId),
      ),
  });
}
