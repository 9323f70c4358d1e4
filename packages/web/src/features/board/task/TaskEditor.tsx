import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { movesFrom } from '@aizuchi/shared/core/tasks/rules/task-machine';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Time } from '../../../components/Time.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { ConflictNote } from './ConflictNote.tsx';
import { TaskFields } from './TaskFields.tsx';
import { useTaskEditor } from './use-task-editor.ts';
import { useDeleteTask } from './use-task-mutations.ts';

interface TaskEditorProps {
  readonly projectId: string;
  /** The current state; it may change while the editor is open. */
  readonly task: Task;
  readonly members: readonly Agent[];
  readonly canWrite: boolean;
  readonly onDone: () => void;
}

export function TaskEditor({ projectId, task, members, canWrite, onDone }: TaskEditorProps) {
  const { t } = useTranslation();
  const [isDeleting, setIsDeleting] = useState(false);
  const editor = useTaskEditor(projectId, task, onDone);
  const { draft, isConflict, save } = editor;
  const statuses = TASK_STATUSES.filter(
    (status) => status === task.status || movesFrom(task.status).includes(status) || status === draft.status,
  );
  return (
    <form onSubmit={editor.submit}>
      <DialogBody>
        <fieldset disabled={!canWrite} className="contents">
          <TaskFields draft={draft} onChange={editor.change} statuses={statuses} members={members} />
        </fieldset>
        {isConflict && (
          <ConflictNote
            fields={editor.conflictFields}
            theirs={editor.theirs}
            members={members}
            onTakeTheirs={editor.takeTheirs}
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
      <DeleteTaskDialog
        projectId={projectId}
        task={task}
        isOpen={isDeleting}
        onOpenChange={setIsDeleting}
        onDeleted={onDone}
      />
    </form>
  );
}

interface DeleteTaskDialogProps {
  readonly projectId: string;
  readonly task: Task;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onDeleted: () => void;
}

function DeleteTaskDialog({ projectId, task, isOpen, onOpenChange, onDeleted }: DeleteTaskDialogProps) {
  const { t } = useTranslation();
  const remove = useDeleteTask(projectId);
  return (
    <ConfirmDialog
      open={isOpen}
      onOpenChange={(open) => {
        onOpenChange(open);
        remove.reset();
      }}
      title={t('board.deleteTitle')}
      confirmLabel={t('board.delete')}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(task.id, { onSuccess: onDeleted })}
    >
      <p className="font-medium wrap-anywhere text-ink">{task.title}</p>
      <p className="mt-1">{t('board.deleteText')}</p>
      {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
