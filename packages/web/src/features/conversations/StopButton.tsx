import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { useErrorText } from '../../lib/error-text.ts';
import { toast } from '../../lib/toast.ts';
import { useStopConversation } from './use-conversations.ts';

interface StopButtonProps {
  readonly conversation: Conversation;
  /** Only the button of the open thread has a test id. */
  readonly testId?: string;
}

/**
 * Stops a conversation without asking for confirmation: a person who sees it go wrong wants to stop it at once.
 * Nothing is lost: the messages stay, and the agents can begin a new conversation.
 */
export function StopButton({ conversation, testId }: StopButtonProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const stop = useStopConversation();
  return (
    <Button
      size="sm"
      icon="stop"
      data-testid={testId}
      title={t('conversations.stopHint')}
      isBusy={stop.isPending}
      // A toast is enough: the button is still there for another try.
      onClick={() => stop.mutate(conversation.id, { onError: (error) => toast.error(errorText(error)) })}
    >
      {t('conversations.stop')}
    </Button>
  );
}
