import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../../components/Dialog.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { InviteLink } from './InviteLink.tsx';

interface InviteDialogProps {
  readonly person: Agent;
  readonly onClose: () => void;
}

/** A new link for somebody who is here already; nothing that the person has ends. */
export function InviteDialog({ person, onClose }: InviteDialogProps) {
  const { t } = useTranslation();
  const invite = useMutation({
    mutationFn: () => callApi('inviteAgent', { params: { aid: person.id } }),
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('settings.inviteTitle', { name: person.name })}
      testId="invite-dialog"
      asksBeforeClose={invite.data ? 'always' : 'written'}
    >
      <DialogBody>
        {invite.data ? (
          <InviteLink invite={invite.data} />
        ) : (
          <p className="text-13 text-ink-2">{t('settings.inviteText')}</p>
        )}
        {invite.error && <ErrorNote error={invite.error} />}
      </DialogBody>
      <DialogFoot>
        {invite.data ? (
          <Button variant="primary" onClick={onClose}>
            {t('settings.done')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button
              variant="primary"
              isBusy={invite.isPending}
              data-testid="invite-make"
              onClick={() => invite.mutate()}
            >
              {t('settings.inviteMake')}
            </Button>
          </>
        )}
      </DialogFoot>
    </Dialog>
  );
}
