import type { Task } from '@aizuchi/shared/contract/task';
import { type FormEvent, useState } from 'react';
import { differing, draftOf, patchTo, rebased, type TaskDraft } from './task-draft.ts';
import { useUpdateTask } from './use-task-mutations.ts';

interface Edit {
  /** The task when the person began to write. */
  readonly base: Task;
  readonly draft: TaskDraft;
}

/**
 * The draft follows the task until the person writes. From then on it keeps what the person wrote; when somebody else
 * changes the task meanwhile (`isConflict`), both versions are shown and the person decides.
 */
export function useTaskEditor(projectId: string, task: Task, onDone: () => void) {
  const [edit, setEdit] = useState<Edit>();
  const save = useUpdateTask(projectId);
  const base = edit?.base ?? task;
  const draft = edit?.draft ?? draftOf(task);
  const theirs = draftOf(task);
  const isDirty = differing(draftOf(base), draft).length > 0;
  const isConflict = isDirty && task.version > base.version && !save.isPending;
  const merged = isConflict ? rebased(theirs, draftOf(base), draft) : draft;
  return {
    draft,
    theirs,
    isConflict,
    /** What the other person changed. */
    conflictFields: isConflict ? differing(draftOf(base), theirs) : [],
    save,
    change: (changed: Partial<TaskDraft>) => {
      const next = { ...draft, ...changed };
      const isUnchanged = differing(draftOf(base), next).length === 0;
      setEdit(isUnchanged ? undefined : { base, draft: next });
    },
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (save.isPending) return;
      if (!isDirty || differing(theirs, merged).length === 0) return onDone();
      save.mutate({ id: task.id, body: patchTo(task, merged) }, { onSuccess: onDone });
    },
    takeTheirs: () => {
      setEdit(undefined);
      save.reset();
    },
  };
}
