import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';

interface DeleteAgentDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Deletes an agent or a person. Their messages stay, and their id is never used again. */
export function DeleteAgentDialog({ agent, onClose, onDeleted }: DeleteAgentDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => callApi('deleteAgent', { params: { aid: agent.id } }),
    onSuccess: async () => {
      onDeleted();
      await client.invalidateQueries({ queryKey: keys.agents });
    },
  });
  const isPerson = agent.type === 'human';
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('settings.deleteTitle', { name: agent.name })}
      confirmLabel={t('settings.delete')}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>{t(isPerson ? 'settings.deletePersonText' : 'settings.deleteAgentText')}</p>
      {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
    </ConfirmDialog>
  );
}
