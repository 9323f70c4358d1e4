import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { getRouteApi, Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Time } from '../../components/Time.tsx';
import { isLive, outcomeOf } from './outcome.ts';
import { StopButton } from './StopButton.tsx';
import { useOutcomeText } from './use-outcome-text.ts';

const route = getRouteApi('/signed-in/projects/$projectId');
const TONES = {
  accent: 'text-accent-ink',
  neutral: 'text-ink-2',
  amber: 'text-amber-ink',
  red: 'text-red-ink',
} as const;

interface ConversationRowProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
  readonly nameOf: (agentId: string) => string;
  readonly canStop: boolean;
}

export function ConversationRow({ conversation, isOpen, nameOf, canStop }: ConversationRowProps) {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const words = useOutcomeText(nameOf);
  const { id, initiatorAgentId, participantAgentId, purpose, createdAt } = conversation;
  const live = isLive(conversation);
  const pair = t('conversations.pair', { one: nameOf(initiatorAgentId), other: nameOf(participantAgentId) });
  return (
    <li
      className={clsx(
        'relative grid grid-cols-[44px_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-4 py-2.5',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <span className="row-span-2 flex gap-1">
        <Avatar name={nameOf(initiatorAgentId)} type="ai" size={20} />
        <Avatar name={nameOf(participantAgentId)} type="ai" size={20} />
      </span>
      <Link
        to="/projects/$projectId/conversations"
        params={{ projectId }}
        search={({ agent }) => ({ ...(agent !== undefined && { agent }), conversation: id })}
        aria-current={isOpen ? 'true' : undefined}
        // The whole row opens it.
        className="truncate text-13 font-medium after:absolute after:inset-0 focus-visible:outline-offset-4"
      >
        {purpose ?? pair}
        {purpose !== null && <span className="sr-only"> · {pair}</span>}
      </Link>
      <Time at={createdAt} className="text-12 text-ink-3" />
      <p className="col-span-2 flex min-w-0 items-center gap-1.5 text-12">
        {live && (
          <span className="size-1.5 flex-none animate-pulse-slow rounded-full bg-accent" aria-hidden="true" />
        )}
        <span className={clsx('min-w-0 truncate', TONES[outcomeOf(conversation).tone])}>
          {words(conversation)}
        </span>
        <span className="flex-1" />
        {live && canStop && (
          <span className="relative">
            <StopButton conversation={conversation} />
          </span>
        )}
      </p>
    </li>
  );
}
