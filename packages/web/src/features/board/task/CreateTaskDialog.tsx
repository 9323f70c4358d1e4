import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task, TaskStatus } from '@aizuchi/shared/contract/task';
import { TASK_STATUSES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { type FormEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { forgetError } from '../../../lib/form.ts';
import { ListPreview } from '../add/lazy-list-preview.ts';
import { useAddTasks } from '../add/use-add-tasks.ts';
import { TaskFields } from './TaskFields.tsx';
import { bodyOf } from './task-draft.ts';
import { TriggerNote } from './trigger/TriggerNote.tsx';
import { useKeptDraft } from './use-kept-draft.ts';
import { newTaskId, useCreateTask } from './use-task-mutations.ts';

export interface CreateTaskDialogProps {
  readonly projectId: string;
  readonly status: TaskStatus;
  readonly tasks: readonly Task[];
  readonly members: readonly Agent[];
  readonly onClose: () => void;
}

export function CreateTaskDialog({ projectId, status, tasks, members, onClose }: CreateTaskDialogProps) {
  const { t } = useTranslation();
  const create = useCreateTask(projectId);
  /** What was tried last: the response may have been lost behind the task. */
  const tried = useRef<{ readonly id: string; readonly what: string }>(undefined);
  const { draft, change, forget } = useKeptDraft(projectId, status);
  const discard = () => {
    forget();
    onClose();
  };
  const adding = useAddTasks({ projectId, status: draft.status, onListAdded: discard });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (create.isPending) return;
    const body = bodyOf(draft);
    const what = JSON.stringify(body);
    if (tried.current?.what !== what) tried.current = { id: newTaskId(), what };
    create.mutate({ ...body, id: tried.current.id }, { onSuccess: discard });
  };
  if (adding.list) return <ListPreview adding={adding} list={adding.list} onClose={adding.dropList} />;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('board.newTask')}
      testId="task-create"
      asksBeforeClose={false}
    >
      <form onSubmit={submit} onChange={forgetError(create)}>
        <DialogBody>
          <TaskFields
            draft={draft}
            onChange={change}
            onPasteTitle={adding.paste}
            statuses={TASK_STATUSES}
            members={members}
            autoFocus
          />
          <TriggerNote
            task={{ projectId, status: draft.status, assigneeId: draft.assigneeId, dependsOn: [] }}
            tasks={tasks}
            members={members}
          />
          {create.error && <ErrorNote error={create.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={discard}>{t('common.cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={create.isPending} data-testid="task-save">
            {t('common.create')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
