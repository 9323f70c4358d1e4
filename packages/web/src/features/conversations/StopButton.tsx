import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import { Button } from '../../components/Button.tsx';
import { useErrorText } from '../../lib/error-text.ts';
import { useStopConversation } from './use-conversations.ts';

interface StopButtonProps {
  readonly conversation: Conversation;
  /** The one of the open thread; those of the list have no test id of their own. */
  readonly testId?: string;
}

/**
 * A person ends what two agents say to each other: at once, for whoever sees them go astray does not want to be asked
 * first. Nothing is lost: what was said stays, and they can begin anew.
 */
export function StopButton({ conversation, testId }: StopButtonProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const stop = useStopConversation(conversation.projectId);
  return (
    <Button
      size="sm"
      icon="stop"
      data-testid={testId}
      title={t('conversations.stopHint')}
      isBusy={stop.isPending}
      // The button is still there for another try.
      onClick={() => stop.mutate(conversation.id, { onError: (error) => toast.error(errorText(error)) })}
    >
      {t('conversations.stop')}
    </Button>
  );
}
