import type { TaskStatus } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../../../lib/queries/queries.ts';
import { tabStorage } from '../../../lib/tab-storage.ts';
import { emptyDraft, isBlank, readTaskDraft, type TaskDraft } from './task-draft.ts';

/**
 * The draft of a new task, in the tab's storage: Esc, a click outside and a reload keep it for the next time that the
 * dialog opens. The column is the one that the dialog was opened in.
 */
export function useKeptDraft(projectId: string, status: TaskStatus) {
  const { data: me } = useQuery(meQuery());
  const key = `task.${me?.id}.${projectId}`;
  const [draft, setDraft] = useState<TaskDraft>(() => ({
    ...readTaskDraft(tabStorage.get(key), emptyDraft(status)),
    status,
  }));
  const change = (changed: Partial<TaskDraft>) => {
    const next = { ...draft, ...changed };
    setDraft(next);
    if (isBlank(next)) tabStorage.remove(key);
    else tabStorage.set(key, JSON.stringify(next));
  };
  return { draft, change, forget: () => tabStorage.remove(key) };
}
