import type { MemoryState } from '@aizuchi/shared/contract/memory';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { type MemoryPart, useDeleteState } from '../use-memory.ts';

interface DeleteStateDialogProps {
  readonly part: MemoryPart;
  readonly state: MemoryState;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
}

/** Says what goes with a state, and what stays, before it is forgotten. */
export function DeleteStateDialog({ part, state, isOpen, onOpenChange }: DeleteStateDialogProps) {
  const { t } = useTranslation();
  const remove = useDeleteState(part, state.id);
  return (
    <ConfirmDialog
      open={isOpen}
      onOpenChange={(open) => {
        onOpenChange(open);
        remove.reset();
      }}
      title={t('memoryPage.forgetStateTitle')}
      confirmLabel={t('memoryPage.forget')}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => onOpenChange(false) })}
    >
      <p className="line-clamp-4 font-medium wrap-anywhere text-ink">{state.bodyText}</p>
      <p className="mt-2">{t('memoryPage.stateGoes')}</p>
      <p className="mt-1">{t('memoryPage.stateStays', { count: state.evidence.length })}</p>
      {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
