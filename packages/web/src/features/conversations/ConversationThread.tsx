import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { buttonClass, IconButton } from '../../components/Button.tsx';
import { Chip } from '../../components/Chip.tsx';
import { Dialog, DialogBody } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { END_PX } from '../../lib/near-end.ts';
import { ConversationEnd } from './ConversationEnd.tsx';
import { ConversationFacts } from './ConversationFacts.tsx';
import { ConversationMessage } from './ConversationMessage.tsx';
import { isLive, outcomeOf } from './outcome.ts';
import { StopButton } from './StopButton.tsx';
import { TurnBar } from './TurnBar.tsx';
import { useConversationMessages } from './use-conversations.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

interface ConversationThreadProps {
  readonly conversation: Conversation;
  readonly nameOf: (agentId: string) => string;
  readonly canStop: boolean;
}

/** One conversation: its two agents and its purpose, every message, the turns so far, and how it ended. */
export function ConversationThread({ conversation, nameOf, canStop }: ConversationThreadProps) {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { id } = conversation;
  const { data: messages, error, refetch } = useConversationMessages(projectId, id);
  const [isFactsOpen, setIsFactsOpen] = useState(false);
  const title = useTitle(conversation, nameOf);
  const facts = <ConversationFacts conversation={conversation} nameOf={nameOf} />;
  return (
    <article aria-label={title} className="@container h-full bg-surface">
      <div className="grid h-full min-h-0 @5xl:grid-cols-[minmax(0,1fr)_288px]">
        <div className="flex min-h-0 min-w-0 flex-col @5xl:border-r @5xl:border-line">
          <header className="flex flex-col gap-2 border-b border-line px-4 pt-4 pb-2.5 @xl:px-6">
            <TitleLine
              conversation={conversation}
              nameOf={nameOf}
              canStop={canStop}
              onShowFacts={() => setIsFactsOpen(true)}
            />
            <AgentsLine conversation={conversation} nameOf={nameOf} messages={messages ?? []} />
          </header>
          <Messages conversation={conversation} messages={messages} nameOf={nameOf}>
            {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
          </Messages>
          <ConversationEnd conversation={conversation} nameOf={nameOf} />
        </div>
        <aside className="hidden min-h-0 overflow-y-auto @5xl:block" aria-label={t('conversations.facts')}>
          {facts}
        </aside>
      </div>
      <Dialog title={t('conversations.facts')} open={isFactsOpen} onOpenChange={setIsFactsOpen}>
        <DialogBody>{facts}</DialogBody>
      </Dialog>
    </article>
  );
}

/** The purpose, or the names of the two agents. */
function useTitle(conversation: Conversation, nameOf: ConversationThreadProps['nameOf']): string {
  const { t } = useTranslation();
  const { initiatorAgentId, participantAgentId, purpose } = conversation;
  return (
    purpose ?? t('conversations.pair', { one: nameOf(initiatorAgentId), other: nameOf(participantAgentId) })
  );
}

interface TitleLineProps extends ConversationThreadProps {
  readonly onShowFacts: () => void;
}

function TitleLine({ conversation, nameOf, canStop, onShowFacts }: TitleLineProps) {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const title = useTitle(conversation, nameOf);
  return (
    <div className="flex min-w-0 items-center gap-2">
      <Link
        to="/projects/$projectId/conversations"
        params={{ projectId }}
        search={({ agent }) => (agent === undefined ? {} : { agent })}
        aria-label={t('conversations.back')}
        className={`${buttonClass({ variant: 'quiet', size: 'sm', isSquare: true })} @3xl:hidden`}
      >
        <Icon name="chevronLeft" size={14} />
      </Link>
      <h2 className="min-w-0 truncate text-16 font-semibold" title={title}>
        {title}
      </h2>
      <span className="flex-1" />
      <Chip tone={outcomeOf(conversation).tone}>{t(`conversations.state.${conversation.state}`)}</Chip>
      {isLive(conversation) && canStop && (
        <StopButton conversation={conversation} testId="conversation-stop" />
      )}
      <span className="@5xl:hidden">
        <IconButton icon="info" label={t('conversations.facts')} onClick={onShowFacts} />
      </span>
    </div>
  );
}

interface AgentsLineProps extends Pick<ConversationThreadProps, 'conversation' | 'nameOf'> {
  readonly messages: readonly Message[];
}

/** The two agents, and how many of the allowed messages there are. */
function AgentsLine({ conversation, nameOf, messages }: AgentsLineProps) {
  const { t } = useTranslation();
  const { initiatorAgentId, participantAgentId, messageCount, maxMessages } = conversation;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-ink-2">
      <AgentLink agentId={initiatorAgentId} name={nameOf(initiatorAgentId)} />
      <Icon name="talk" size={14} className="text-ink-3" />
      <AgentLink agentId={participantAgentId} name={nameOf(participantAgentId)} />
      <span className="flex-1" />
      <span className="tabular-nums">{t('conversations.turn', { n: messageCount, most: maxMessages })}</span>
      <TurnBar conversation={conversation} messages={messages} />
    </div>
  );
}

interface MessagesProps extends Pick<ConversationThreadProps, 'conversation' | 'nameOf'> {
  /** Absent until they are loaded. */
  readonly messages: readonly Message[] | undefined;
  /** Above the messages. */
  readonly children: ReactNode;
}

function Messages({ conversation, messages, nameOf, children }: MessagesProps) {
  const { t } = useTranslation();
  const scroller = useFollowEnd(messages?.length ?? 0);
  const { participantAgentId, maxMessages } = conversation;
  return (
    <div
      ref={scroller}
      role="log"
      aria-label={t('conversations.messages')}
      aria-busy={messages === undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard, too.
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 py-4 @xl:px-6"
    >
      {children}
      {messages?.map((message, index) => (
        <ConversationMessage
          key={message.id}
          message={message}
          name={nameOf(message.senderId)}
          isRight={message.senderId === participantAgentId}
          place={t('conversations.place', { n: index + 1, most: maxMessages })}
        />
      ))}
      {messages?.length === 0 && <p className="text-13 text-ink-2">{t('conversations.nothingSaid')}</p>}
    </div>
  );
}

interface AgentLinkProps {
  readonly agentId: string;
  readonly name: string;
}

/** Opens the chat with that agent. */
function AgentLink({ agentId, name }: AgentLinkProps) {
  const { projectId } = route.useParams();
  const { t } = useTranslation();
  return (
    <Link
      to="."
      params={{ projectId }}
      search={(search) => ({ ...search, agent: agentId })}
      title={t('conversations.openChat', { name })}
      className="flex min-w-0 items-center gap-1.5 hover:text-ink"
    >
      <Avatar name={name} type="ai" size={20} />
      <span className="min-w-0 truncate">{name}</span>
    </Link>
  );
}

/** Follows new messages while the end is in view; a reader who scrolled up stays there. */
function useFollowEnd(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const lastHeight = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const wasAtEnd = element.scrollTop + element.clientHeight >= lastHeight.current - END_PX;
    lastHeight.current = element.scrollHeight;
    if (wasAtEnd) element.scrollTop = element.scrollHeight;
  }, [count]);
  return scroller;
}
