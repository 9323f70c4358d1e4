import type { Task, TaskField } from '@aizuchi/shared/contract/task';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, isCode } from '../../../../lib/api/api-error.ts';
import { callApi } from '../../../../lib/api/call-api.ts';
import { withTask } from '../../../../lib/live/apply-frame.ts';
import { patchQuery } from '../../../../lib/live/patch-query.ts';
import { keys } from '../../../../lib/queries/keys.ts';
import { clashing, differing, type TaskChange } from './task-change.ts';

/** How often a change is put on top of what others have saved meanwhile. */
const MAX_TRIES = 4;

/** From the newest state: a change that depends on what stands there then, as a tick in a text. */
export type ChangeOf = (now: Task) => TaskChange;

interface Order {
  /** The task that the person saw when it made the change. */
  readonly base: Task;
  readonly change: TaskChange | ChangeOf;
}

export interface Saved {
  readonly task: Task;
  /** What others had changed meanwhile, which was kept. */
  readonly merged: readonly TaskField[];
}

/**
 * Saves single fields, one after the other. What others changed in other fields is kept; of a field that they changed
 * too, the person decides (version_conflict): it sees their state, because the tasks are read again.
 */
export function useSaveTask(task: Task) {
  const client = useQueryClient();
  const queryKey = keys.tasks(task.projectId);
  return useMutation({
    scope: { id: `save ${task.id}` },
    mutationFn: (order: Order) => saveOnTop(client, order),
    onSuccess: (saved) =>
      patchQuery<readonly Task[]>(client, queryKey, (tasks) => withTask(tasks, saved.task)),
    onError: () => client.invalidateQueries({ queryKey }),
  });
}

export type SaveTask = ReturnType<typeof useSaveTask>;

async function saveOnTop(client: QueryClient, { base, change }: Order): Promise<Saved> {
  const { id, projectId } = base;
  const tasks = client.getQueryData<readonly Task[]>(keys.tasks(projectId));
  let now = tasks?.find((one) => one.id === id) ?? base;
  for (let tries = 1; ; tries += 1) {
    const fields = typeof change === 'function' ? change(now) : change;
    if (typeof change !== 'function' && clashing(base, now, fields).length > 0)
      throw new ApiError('version_conflict', 'Somebody else has changed the same field.');
    try {
      const task = await callApi('updateTask', {
        params: { tid: id },
        body: { version: now.version, ...fields },
      });
      return { task, merged: differing(base, now) };
    } catch (error) {
      if (!isCode(error, 'version_conflict') || tries === MAX_TRIES) throw error;
      now = await callApi('getTask', { params: { tid: id } });
    }
  }
}
