import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { OneTimeSecret } from '../OneTimeSecret.tsx';

interface ResetPasskeyDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

/** A new passkey for a person or an agent; the old one becomes invalid at once. */
export function ResetPasskeyDialog({ agent, onClose }: ResetPasskeyDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => callApi('setPasskey', { params: { aid: agent.id } }),
    // Not waited for: the passkey is shown now or never.
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.agents }),
  });
  const isPerson = agent.type === 'human';
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('settings.resetTitle', { name: agent.name })}
      testId="passkey-dialog"
      asksBeforeClose={reset.isPending || reset.data ? 'always' : 'written'}
    >
      <DialogBody>
        {reset.data ? (
          <OneTimeSecret
            secret={reset.data.passkey}
            label={t('settings.passkey')}
            hint={t(isPerson ? 'settings.personPasskeyHint' : 'settings.agentPasskeyHint')}
            testId="passkey-once"
          />
        ) : (
          <p className="text-13 text-ink-2">
            {t(isPerson ? 'settings.resetPersonText' : 'settings.resetAgentText')}
          </p>
        )}
        {reset.error && <ErrorNote error={reset.error} />}
      </DialogBody>
      <DialogFoot>
        {reset.data ? (
          <Button variant="primary" onClick={onClose}>
            {t('settings.done')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button
              variant="primary"
              isBusy={reset.isPending}
              data-testid="passkey-reset"
              onClick={() => reset.mutate()}
            >
              {t('settings.makePasskey')}
            </Button>
          </>
        )}
      </DialogFoot>
    </Dialog>
  );
}
