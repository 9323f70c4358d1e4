import type { CreateTaskBody, Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../../lib/api/call-api.ts';
import { withTask } from '../../../lib/live/apply-frame.ts';
import { patchQuery } from '../../../lib/live/patch-query.ts';
import { keys } from '../../../lib/queries/keys.ts';
import type { Place } from '../move/place.ts';

export function useCreateTask(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateTaskBody) => callApi('createTask', { params: { pid: projectId }, body }),
    onSuccess: (task) =>
      patchQuery<readonly Task[]>(client, keys.tasks(projectId), (tasks) => withTask(tasks, task)),
  });
}

export function useDeleteTask(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => callApi('deleteTask', { params: { tid: id } }),
    onSuccess: (_none, id) =>
      patchQuery<readonly Task[]>(client, keys.tasks(projectId), (tasks) =>
        tasks.filter((task) => task.id !== id),
      ),
  });
}

export interface Move {
  readonly task: Task;
  readonly to: TaskStatus;
  /** The card below which it is put, null: on top; absent: at the end of the column. */
  readonly after?: Place;
}

/** One move after the other, each with the version known at that time: the move before it has increased it. */
export function useMoveTask(projectId: string) {
  const client = useQueryClient();
  const queryKey = keys.tasks(projectId);
  const known = ({ id }: Task) =>
    client.getQueryData<readonly Task[]>(queryKey)?.find((task) => task.id === id);
  return useMutation({
    scope: { id: `move in ${projectId}` },
    mutationFn: ({ task, to, after }: Move) => {
      const { version, status } = known(task) ?? task;
      return callApi('updateTask', {
        params: { tid: task.id },
        body: { version, ...(status !== to && { status: to }), ...(after !== undefined && { after }) },
      });
    },
    onSuccess: (task) => patchQuery<readonly Task[]>(client, queryKey, (tasks) => withTask(tasks, task)),
    onError: () => client.invalidateQueries({ queryKey }),
  });
}
