import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { useStopConversation } from './use-conversations.ts';

interface StopButtonProps {
  readonly conversation: Conversation;
  /** The one of the open thread; those of the list have no test id of their own. */
  readonly testId?: string;
}

/** A person ends what two agents say to each other; asked once more, because they cannot take it up again. */
export function StopButton({ conversation, testId }: StopButtonProps) {
  const { t } = useTranslation();
  const [isAsked, setIsAsked] = useState(false);
  const stop = useStopConversation(conversation.projectId);
  return (
    <>
      <Button size="sm" icon="stop" data-testid={testId} onClick={() => setIsAsked(true)}>
        {t('conversations.stop')}
      </Button>
      <ConfirmDialog
        title={t('conversations.stopTitle')}
        confirmLabel={t('conversations.stopConfirm')}
        open={isAsked}
        onOpenChange={setIsAsked}
        isBusy={stop.isPending}
        onConfirm={() => stop.mutate(conversation.id, { onSuccess: () => setIsAsked(false) })}
      >
        {t('conversations.stopText')}
        {stop.error && <ErrorNote error={stop.error} className="mt-3" />}
      </ConfirmDialog>
    </>
  );
}
