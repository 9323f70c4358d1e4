import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { TaskActivity } from './activity/lazy-task-activity.ts';
import { TaskEditor } from './TaskEditor.tsx';

const route = getRouteApi('/signed-in/projects/$projectId');

interface TaskDialogProps {
  readonly projectId: string;
  readonly taskId: string;
  /** Absent: it does not exist, or no longer. */
  readonly task: Task | undefined;
  readonly members: readonly Agent[];
  readonly canWrite: boolean;
}

/** The task that the address names. */
export function TaskDialog({ projectId, taskId, task, members, canWrite }: TaskDialogProps) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const close = () => void navigate({ to: '.', search: ({ task: _task, ...search }) => search });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t('board.task')}
      description={<span className="font-mono text-11">{taskId}</span>}
      testId="task-dialog"
    >
      {task ? (
        <>
          <TaskEditor
            projectId={projectId}
            task={task}
            members={members}
            canWrite={canWrite}
            onDone={close}
          />
          <Suspense>
            <TaskActivity projectId={projectId} taskId={taskId} canWrite={canWrite} />
          </Suspense>
        </>
      ) : (
        <>
          <DialogBody>
            <p className="text-13 text-ink-2">{t('errors.task_not_found')}</p>
          </DialogBody>
          <DialogFoot>
            <Button onClick={close}>{t('common.close')}</Button>
          </DialogFoot>
        </>
      )}
    </Dialog>
  );
}
