import type { CreateTaskBody, TaskStatus } from '@aizuchi/shared/contract/task';
import { useRef, useState } from 'react';
import { newTaskId, useCreateTask } from '../task/use-task-mutations.ts';
import { type ListedTask, MAX_ITEMS, readTaskList } from './task-list.ts';

interface AddTasksInput {
  readonly projectId: string;
  readonly status: TaskStatus;
  /** The task of which the new ones become parts. */
  readonly parentId?: string;
  readonly onListAdded?: () => void;
}

/** With the id that its task gets, however often it is tried. */
interface TaskToAdd extends ListedTask {
  readonly id: string;
}

/** One title after the other, or a pasted list of tasks, which is shown before anything is made of it. */
export function useAddTasks({ projectId, status, parentId, onListAdded }: AddTasksInput) {
  const create = useCreateTask(projectId);
  const [text, setText] = useState('');
  const [list, setList] = useState<readonly TaskToAdd[]>();
  /** The ids of titles that could not be added: the response may have been lost behind the task. */
  const tried = useRef(new Map<string, string>());
  const [isAdding, setIsAdding] = useState(false);
  const [error, setError] = useState<unknown>();
  const body = (id: string, title: string, rest: Partial<Omit<CreateTaskBody, 'id'>> = {}) => ({
    id,
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
    const id = tried.current.get(title) ?? newTaskId();
    try {
      await create.mutateAsync(body(id, title));
      tried.current.delete(title);
    } catch (failed) {
      tried.current.set(title, id);
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
      for (const { id, title, isDone, parent } of list) {
        const above = parent === undefined ? undefined : ids[parent];
        const rest = {
          ...(isDone && { status: 'done' as const }),
          ...(above !== undefined && { parentId: above }),
        };
        ids.push((await create.mutateAsync(body(id, title, rest))).id);
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
    setList(found.map((one) => ({ ...one, id: newTaskId() })));
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
function remaining(list: readonly TaskToAdd[], count: number): readonly TaskToAdd[] {
  return list.slice(count).map((one) => ({
    ...one,
    parent: one.parent === undefined || one.parent < count ? undefined : one.parent - count,
  }));
}
