import type { CreateTaskBody, TaskStatus } from '@aizuchi/shared/contract/task';
import { useState } from 'react';
import { useCreateTask } from '../task/use-task-mutations.ts';
import { type ListedTask, MAX_ITEMS, readTaskList } from './task-list.ts';

interface AddTasksInput {
  readonly projectId: string;
  readonly status: TaskStatus;
  /** The task of which the new ones become parts. */
  readonly parentId?: string;
  readonly onListAdded?: () => void;
}

/** One title after the other, or a pasted list of tasks, which is shown before anything is made of it. */
export function useAddTasks({ projectId, status, parentId, onListAdded }: AddTasksInput) {
  const create = useCreateTask(projectId);
  const [text, setText] = useState('');
  const [list, setList] = useState<readonly ListedTask[]>();
  const [isAdding, setIsAdding] = useState(false);
  const [error, setError] = useState<unknown>();
  const body = (title: string, rest: Partial<CreateTaskBody> = {}): CreateTaskBody => ({
    title,
    status,
    ...(parentId !== undefined && { parentId }),
    ...rest,
  });
  const add = async () => {
    const title = text.trim();
    if (title === '') return;
    setText('');
    setError(undefined);
    try {
      await create.mutateAsync(body(title));
    } catch (failed) {
      setError(failed);
      // Unless the next one is being written already.
      setText((now) => (now === '' ? title : now));
    }
  };
  const addList = async () => {
    if (!list || isAdding) return;
    setIsAdding(true);
    setError(undefined);
    const ids: string[] = [];
    try {
      // One after the other: they keep the order of the list, and a part needs the id of its task.
      for (const { title, isDone, parent } of list) {
        const above = parent === undefined ? undefined : ids[parent];
        const rest = {
          ...(isDone && { status: 'done' as const }),
          ...(above !== undefined && { parentId: above }),
        };
        ids.push((await create.mutateAsync(body(title, rest))).id);
      }
      setList(undefined);
      onListAdded?.();
    } catch (failed) {
      setError(failed);
      setList(remaining(list, ids.length));
    } finally {
      setIsAdding(false);
    }
  };
  const paste = (pasted: string): boolean => {
    const found = readTaskList(pasted);
    if (found.length === 0) return false;
    setList(found);
    return true;
  };
  return {
    text,
    setText,
    add,
    error,
    list,
    isTooLong: (list?.length ?? 0) > MAX_ITEMS,
    paste,
    addList,
    isAdding,
    dropList: () => setList(undefined),
  };
}

export type AddTasks = ReturnType<typeof useAddTasks>;

/** What is left after the first `count` were made; parts of those become tasks of their own. */
function remaining(list: readonly ListedTask[], count: number): readonly ListedTask[] {
  return list.slice(count).map((one) => ({
    ...one,
    parent: one.parent === undefined || one.parent < count ? undefined : one.parent - count,
  }));
}
