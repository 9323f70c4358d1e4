import type { Task } from '@aizuchi/shared/contract/task';
import { useEffect, useRef, useState } from 'react';
import type { SaveTask } from './use-save-task.ts';

interface Edit {
  /** The task when the person began to write. */
  readonly base: Task;
  readonly text: string;
}

/**
 * A text of the task that saves itself when the person leaves the field. It follows the task until the person writes;
 * when somebody else changes the same text meanwhile (`theirs`), both are shown and the person decides.
 */
export function useTextField(task: Task, field: 'title' | 'description', save: SaveTask) {
  const [edit, setEdit] = useState<Edit>();
  /** What is being saved: it comes back with the task, and is nobody else's. */
  const [sent, setSent] = useState<string>();
  const base = edit?.base ?? task;
  const text = edit?.text ?? task[field];
  const isChanged = text.trim() !== base[field].trim();
  const isTheirs = task[field] !== base[field] && task[field].trim() !== sent;
  const isConflict = isChanged && isTheirs && task[field].trim() !== text.trim();
  const isAllowed = field !== 'title' || text.trim() !== '';
  const store = (from: Task) => {
    const own = text.trim();
    setSent(own);
    save
      // What is saved before this is no change of somebody else.
      .mutateAsync({ base: sent === undefined ? from : { ...from, [field]: sent }, change: { [field]: own } })
      // What was written while it was being saved stays.
      .then(({ task: saved }) =>
        setEdit((now) => (now && now.text !== text ? { base: saved, text: now.text } : undefined)),
      )
      // The panel shows why.
      .catch(() => undefined)
      .finally(() => setSent((now) => (now === own ? undefined : now)));
  };
  const commit = () => {
    if (!isChanged || !isAllowed) setEdit(undefined);
    else if (!isConflict) store(base);
  };
  useSaveOnLeave(isChanged && isAllowed && !isConflict ? commit : undefined);
  return {
    text,
    change: (next: string) => setEdit({ base, text: next }),
    commit,
    /** The text of the other person, when one's own stands against it. */
    theirs: isConflict ? task[field] : undefined,
    takeTheirs: () => setEdit(undefined),
    keepMine: () => {
      setEdit({ base: task, text });
      store(task);
    },
  };
}

export type TextField = ReturnType<typeof useTextField>;

/** A panel that is closed while a field has the focus does not lose what was written in it. */
function useSaveOnLeave(commit: (() => void) | undefined): void {
  const newest = useRef(commit);
  useEffect(() => {
    newest.current = commit;
  });
  useEffect(() => () => newest.current?.(), []);
}
