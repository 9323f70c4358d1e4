import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { useTranslation } from 'react-i18next';
import { outcomeOf } from './outcome.ts';

/** The state or the outcome in one line: "Active, 7 of 20", "Ended by Reviewer". */
export function useOutcomeText(nameOf: (agentId: string) => string): (conversation: Conversation) => string {
  const { t } = useTranslation();
  return (conversation) => {
    const { endedBy, messageCount, maxMessages, participantAgentId } = conversation;
    return t(`conversations.outcome.${outcomeOf(conversation).key}`, {
      name: nameOf(endedBy ?? participantAgentId),
      n: messageCount,
      most: maxMessages,
    });
  };
}
