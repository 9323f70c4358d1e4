import type { Agent } from '@aizuchi/shared/contract/agent';
import type { TaskStatus } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { TaskFields } from './TaskFields.tsx';
import { labelsOf, type TaskDraft } from './task-draft.ts';
import { useCreateTask } from './use-task-mutations.ts';

interface CreateTaskDialogProps {
  readonly projectId: string;
  readonly status: TaskStatus;
  readonly members: readonly Agent[];
  readonly onClose: () => void;
}

export function CreateTaskDialog({ projectId, status, members, onClose }: CreateTaskDialogProps) {
  const { t } = useTranslation();
  const create = useCreateTask(projectId);
  const [draft, setDraft] = useState<TaskDraft>({
    title: '',
    description: '',
    status,
    priority: 'medium',
    assigneeId: '',
    labels: '',
    dueDate: '',
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const { assigneeId, description, title, labels, dueDate, ...rest } = draft;
    create.mutate(
      {
        ...rest,
        title: title.trim(),
        ...(description.trim() !== '' && { description: description.trim() }),
        ...(assigneeId !== '' && { assigneeId }),
        labels: labelsOf(labels),
        ...(dueDate !== '' && { dueDate }),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('board.newTask')} testId="task-create">
      <form onSubmit={submit}>
        <DialogBody>
          <TaskFields
            draft={draft}
            onChange={(change) => setDraft({ ...draft, ...change })}
            statuses={TASK_STATUSES}
            members={members}
            autoFocus
          />
          {create.error && <ErrorNote error={create.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending} data-testid="task-save">
            {t('common.create')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
