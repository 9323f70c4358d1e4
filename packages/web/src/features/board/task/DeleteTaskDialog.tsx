import type { Task } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { useDeleteTask } from './use-task-mutations.ts';

interface DeleteTaskDialogProps {
  readonly projectId: string;
  readonly task: Task;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly onDeleted: () => void;
}

export function DeleteTaskDialog({
  projectId,
  task,
  isOpen,
  onOpenChange,
  onDeleted,
}: DeleteTaskDialogProps) {
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
