import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { useIsNarrow } from '../../lib/use-media-query.ts';
import { isLive } from './outcome.ts';
import { useOutcomeWords } from './use-outcome-words.ts';

interface FoldedConversationProps {
  readonly conversation: Conversation;
  /** In whose chat it stands. */
  readonly agentId: string;
}

/** Talk with another agent as one line of the chat; it leads to the thread. */
export function FoldedConversation({ conversation, agentId }: FoldedConversationProps) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const nameOf = useNameOf();
  const outcome = useOutcomeWords(nameOf)(conversation);
  const { id, projectId, initiatorAgentId, participantAgentId, messageCount } = conversation;
  const name = nameOf(initiatorAgentId === agentId ? participantAgentId : initiatorAgentId);
  const live = isLive(conversation);
  return (
    <Link
      to="/projects/$projectId/conversations"
      params={{ projectId }}
      // On a phone the chat would cover the thread.
      search={{ conversation: id, ...(!isNarrow && { agent: agentId }) }}
      data-testid={`chat-conversation-${id}`}
      className="flex min-h-7 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 py-1 text-12 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-9"
    >
      <Icon name="talk" size={14} className={clsx('flex-none', live ? 'text-accent-ink' : 'text-ink-3')} />
      <span className="num min-w-0 flex-1 wrap-anywhere">
        {live
          ? t('conversations.foldedLive', { name, outcome })
          : t('conversations.folded', { name, count: messageCount, outcome })}
      </span>
      <Icon name="chevronRight" size={12} className="text-ink-3" />
    </Link>
  );
}
