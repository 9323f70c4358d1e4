import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { movesFrom } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Time } from '../../../components/Time.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { ConflictNote } from './ConflictNote.tsx';
import { TaskFields } from './TaskFields.tsx';
import { differing, draftOf, onTopOf, patchTo, type TaskDraft } from './task-draft.ts';
import { useDeleteTask, useUpdateTask } from './use-task-mutations.ts';

interface TaskEditorProps {
  readonly projectId: string;
  /** As it is now; it may change while it is open. */
  readonly task: Task;
  readonly members: readonly Agent[];
  readonly canWrite: boolean;
  readonly onDone: () => void;
}

interface Edit {
  /** What the task was when the person began to write. */
  readonly base: Task;
  readonly draft: TaskDraft;
}

/**
 * Follows the task while nothing was written. From the first letter on it keeps what the person writes; when somebody
 * else changes the task meanwhile, both are shown and the person decides.
 */
export function TaskEditor({ projectId, task, members, canWrite, onDone }: TaskEditorProps) {
  const { t } = useTranslation();
  const [edit, setEdit] = useState<Edit>();
  const save = useUpdateTask(projectId);
  const remove = useDeleteTask(projectId);
  const [isDeleting, setIsDeleting] = useState(false);
  const base = edit?.base ?? task;
  const draft = edit?.draft ?? draftOf(task);
  const theirs = draftOf(task);
  const isDirty = differing(draftOf(base), draft).length > 0;
  const isConflict = isDirty && task.version > base.version && !save.isPending;
  const merged = isConflict ? onTopOf(theirs, draftOf(base), draft) : draft;

  const change = (changed: Partial<TaskDraft>) => {
    const next = { ...draft, ...changed };
    const isBack = differing(draftOf(base), next).length === 0;
    setEdit(isBack ? undefined : { base, draft: next });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    if (!isDirty || differing(theirs, merged).length === 0) return onDone();
    save.mutate({ id: task.id, body: patchTo(task, merged) }, { onSuccess: onDone });
  };
  const takeTheirs = () => {
    setEdit(undefined);
    save.reset();
  };

  return (
    <form onSubmit={submit}>
      <DialogBody>
        <fieldset disabled={!canWrite} className="contents">
          <TaskFields
            draft={draft}
            onChange={change}
            statuses={TASK_STATUSES.filter(
              (status) =>
                status === task.status || movesFrom(task.status).includes(status) || status === draft.status,
            )}
            members={members}
          />
        </fieldset>
        {isConflict && (
          <ConflictNote
            fields={differing(draftOf(base), theirs)}
            theirs={theirs}
            members={members}
            onTakeTheirs={takeTheirs}
          />
        )}
        {save.error && !isCode(save.error, 'version_conflict') && <ErrorNote error={save.error} />}
        <p className="text-12 text-ink-3">
          {t('board.created')} <Time at={task.createdAt} /> · {t('board.changed')}{' '}
          <Time at={task.updatedAt} />
        </p>
      </DialogBody>
      <DialogFoot>
        {canWrite && (
          <Button variant="danger" icon="trash" data-testid="task-delete" onClick={() => setIsDeleting(true)}>
            {t('board.delete')}
          </Button>
        )}
        <span className="flex-1" />
        <Button onClick={onDone}>{t(canWrite ? 'common.cancel' : 'common.close')}</Button>
        {canWrite && (
          <Button type="submit" variant="primary" isBusy={save.isPending} data-testid="task-save">
            {t(isConflict ? 'board.saveMine' : 'common.save')}
          </Button>
        )}
      </DialogFoot>
      <ConfirmDialog
        open={isDeleting}
        onOpenChange={(open) => {
          setIsDeleting(open);
          remove.reset();
        }}
        title={t('board.deleteTitle')}
        confirmLabel={t('board.delete')}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(task.id, { onSuccess: onDone })}
      >
        <p className="font-medium wrap-anywhere text-ink">{task.title}</p>
        <p className="mt-1">{t('board.deleteText')}</p>
        {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
      </ConfirmDialog>
    </form>
  );
}
