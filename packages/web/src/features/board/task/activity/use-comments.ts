import type { Task, TaskComment } from '@aizuchi/shared/contract/task';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { callApi } from '../../../../lib/api/call-api.ts';
import { patchQuery } from '../../../../lib/live/patch-query.ts';
import { newId } from '../../../../lib/new-id.ts';
import { keys } from '../../../../lib/queries/keys.ts';

export function useAddComment({ id, projectId }: Task) {
  const client = useQueryClient();
  /** Sent again after a lost response it is the same comment. */
  const sent = useRef<{ readonly content: string; readonly clientCommentId: string }>(undefined);
  return useMutation({
    mutationFn: (comment: { readonly body: string; readonly attachments: string[] }) => {
      const content = JSON.stringify(comment);
      if (sent.current?.content !== content) sent.current = { content, clientCommentId: newId() };
      const { clientCommentId } = sent.current;
      return callApi('createTaskComment', { params: { tid: id }, body: { ...comment, clientCommentId } });
    },
    onSettled: (comment) => {
      if (comment) sent.current = undefined;
    },
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
