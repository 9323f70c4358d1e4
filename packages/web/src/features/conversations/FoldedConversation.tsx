import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { Time } from '../../components/Time.tsx';
import { useBesideChat } from '../../lib/hooks/use-beside-chat.ts';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { isLive, outcomeOf } from './outcome.ts';
import { useOutcomeText } from './use-outcome-text.ts';

interface FoldedConversationProps {
  readonly conversation: Conversation;
  /** The agent whose chat it is shown in. */
  readonly agentId: string;
}

/** A conversation with another agent as one line of the chat; a link to the thread. */
export function FoldedConversation({ conversation, agentId }: FoldedConversationProps) {
  const { t } = useTranslation();
  const besideChat = useBesideChat();
  const nameOf = useNameOf();
  const outcome = useOutcomeText(nameOf)(conversation);
  const { id, projectId, initiatorAgentId, participantAgentId, messageCount } = conversation;
  const name = nameOf(initiatorAgentId === agentId ? participantAgentId : initiatorAgentId);
  const live = isLive(conversation);
  // Which of the two agents ended it does not matter here.
  const ending = outcomeOf(conversation).key === 'ended_by' ? t('conversations.state.ended') : outcome;
  const text = live
    ? t('conversations.foldedLive', { name, outcome })
    : t('conversations.folded', { name, count: messageCount, outcome: ending });
  return (
    <Link
      to="/projects/$projectId/conversations"
      params={{ projectId }}
      search={{ ...besideChat({ agent: agentId }), conversation: id }}
      data-testid={`chat-conversation-${id}`}
      className="flex min-h-7 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 py-1 text-12 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-9"
    >
      <Icon name="talk" size={14} className={clsx('flex-none', live ? 'text-accent-ink' : 'text-ink-3')} />
      <span className="num line-clamp-2 min-w-0 flex-1 wrap-anywhere" title={outcome}>
        {text}
      </span>
      <Time at={conversation.endedAt ?? conversation.createdAt} format="clock" className="num text-ink-3" />
      <Icon name="chevronRight" size={12} className="text-ink-3" />
    </Link>
  );
}
