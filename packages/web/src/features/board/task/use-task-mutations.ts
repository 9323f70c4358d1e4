import type { CreateTaskBody, Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isCode } from '../../../lib/api/api-error.ts';
import { callApi } from '../../../lib/api/call-api.ts';
import { withTask } from '../../../lib/live/apply-frame.ts';
import { patchQuery } from '../../../lib/live/patch-query.ts';
import { keys } from '../../../lib/queries/keys.ts';
import type { Place } from '../move/place.ts';

export function useCreateTask(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CreateTaskBody & { readonly id: string }) => createOnce(projectId, body),
    onSuccess: (task) =>
      patchQuery<readonly Task[]>(client, keys.tasks(projectId), (tasks) => withTask(tasks, task)),
  });
}

/** An id for a new task, as the server makes them: by it a call without a response can be repeated. */
export function newTaskId(): string {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => (byte % 36).toString(36));
  return `tsk_${letters.join('')}`;
}

/** Of a call whose response was lost the task is there already when it is repeated. */
async function createOnce(pid: string, body: CreateTaskBody & { readonly id: string }): Promise<Task> {
  try {
    return await callApi('createTask', { params: { pid }, body });
  } catch (error) {
    if (!isCode(error, 'id_taken')) throw error;
    return callApi('getTask', { params: { tid: body.id } });
  }
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

/** How often a move is repeated on top of what others have saved meanwhile. */
const MAX_TRIES = 4;

/** A text that is saved, or a comment, does not stand against a move; another move does. */
async function moveOnTop(from: Task, { to, after }: Move): Promise<Task> {
  let now = from;
  for (let tries = 1; ; tries += 1) {
    const { id, version, status } = now;
    try {
      return await callApi('updateTask', {
        params: { tid: id },
        body: { version, ...(status !== to && { status: to }), ...(after !== undefined && { after }) },
      });
    } catch (error) {
      if (!isCode(error, 'version_conflict') || tries === MAX_TRIES) throw error;
      now = await callApi('getTask', { params: { tid: id } });
      if (now.status !== from.status) throw error;
    }
  }
}

/** One move after the other, each with the version known at that time: the move before it has increased it. */
export function useMoveTask(projectId: string) {
  const client = useQueryClient();
  const queryKey = keys.tasks(projectId);
  const known = ({ id }: Task) =>
    client.getQueryData<readonly Task[]>(queryKey)?.find((task) => task.id === id);
  return useMutation({
    scope: { id: `move in ${projectId}` },
    mutationFn: (move: Move) => moveOnTop(known(move.task) ?? move.task, move),
    onSuccess: (task) => patchQuery<readonly Task[]>(client, queryKey, (tasks) => withTask(tasks, task)),
    onError: () => client.invalidateQueries({ queryKey }),
  });
}
