import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { buttonClass, IconButton } from '../../components/Button.tsx';
import { Chip } from '../../components/Chip.tsx';
import { Dialog, DialogBody } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/Icon.tsx';
import { ConversationEnd } from './ConversationEnd.tsx';
import { ConversationFacts } from './ConversationFacts.tsx';
import { isLive, outcomeOf } from './outcome.ts';
import { StopButton } from './StopButton.tsx';
import { TalkMessage } from './TalkMessage.tsx';
import { TurnBar } from './TurnBar.tsx';
import { useConversationMessages } from './use-conversations.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

interface ConversationThreadProps {
  readonly conversation: Conversation;
  readonly nameOf: (agentId: string) => string;
  readonly canStop: boolean;
}

/** One conversation: who with whom and why, every message on its side, how far it is, how and why it ended. */
export function ConversationThread({ conversation, nameOf, canStop }: ConversationThreadProps) {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { id, initiatorAgentId, participantAgentId, purpose, messageCount, maxMessages } = conversation;
  const { data: messages, error, refetch } = useConversationMessages(projectId, id);
  const [isFactsOpen, setIsFactsOpen] = useState(false);
  const pair = t('conversations.pair', { one: nameOf(initiatorAgentId), other: nameOf(participantAgentId) });
  const scroller = useStayAtEnd(messages?.length ?? 0);
  return (
    <article aria-label={purpose ?? pair} className="@container h-full bg-surface">
      <div className="grid h-full min-h-0 @5xl:grid-cols-[minmax(0,1fr)_288px]">
        <div className="flex min-h-0 min-w-0 flex-col @5xl:border-r @5xl:border-line">
          <header className="flex flex-col gap-2 border-b border-line px-4 pt-4 pb-2.5 @xl:px-6">
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
              <h2 className="min-w-0 truncate text-16 font-semibold" title={purpose ?? pair}>
                {purpose ?? pair}
              </h2>
              <span className="flex-1" />
              <Chip tone={outcomeOf(conversation).tone}>
                {t(`conversations.state.${conversation.state}`)}
              </Chip>
              {isLive(conversation) && canStop && (
                <StopButton conversation={conversation} testId="conversation-stop" />
              )}
              <span className="@5xl:hidden">
                <IconButton
                  icon="info"
                  label={t('conversations.facts')}
                  onClick={() => setIsFactsOpen(true)}
                />
              </span>
            </div>
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-ink-2">
              <Side agentId={initiatorAgentId} name={nameOf(initiatorAgentId)} />
              <Icon name="talk" size={14} className="text-ink-3" />
              <Side agentId={participantAgentId} name={nameOf(participantAgentId)} />
              <span className="flex-1" />
              <span className="tabular-nums">
                {t('conversations.turn', { n: messageCount, most: maxMessages })}
              </span>
              <TurnBar conversation={conversation} messages={messages ?? []} />
            </div>
          </header>
          <div
            ref={scroller}
            role="log"
            aria-label={t('conversations.messages')}
            aria-busy={messages === undefined}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard, too.
            tabIndex={0}
            className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-4 py-4 @xl:px-6"
          >
            {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
            {messages?.map((message, index) => (
              <TalkMessage
                key={message.id}
                message={message}
                name={nameOf(message.senderId)}
                isRight={message.senderId === participantAgentId}
                place={t('conversations.place', { n: index + 1, most: maxMessages })}
              />
            ))}
            {messages?.length === 0 && <p className="text-13 text-ink-2">{t('conversations.nothingSaid')}</p>}
          </div>
          <ConversationEnd conversation={conversation} nameOf={nameOf} />
        </div>
        <aside className="hidden min-h-0 overflow-y-auto @5xl:block" aria-label={t('conversations.facts')}>
          <ConversationFacts conversation={conversation} nameOf={nameOf} />
        </aside>
      </div>
      <Dialog title={t('conversations.facts')} open={isFactsOpen} onOpenChange={setIsFactsOpen}>
        <DialogBody>
          <ConversationFacts conversation={conversation} nameOf={nameOf} />
        </DialogBody>
      </Dialog>
    </article>
  );
}

function Side({ agentId, name }: { readonly agentId: string; readonly name: string }) {
  const { projectId } = route.useParams();
  const { t } = useTranslation();
  return (
    <Link
      to="."
      params={{ projectId }}
      search={(search) => ({ ...search, agent: agentId })}
      title={t('conversations.openChat', { name })}
      className="flex items-center gap-1.5 hover:text-ink"
    >
      <Avatar name={name} type="ai" size={20} />
      {name}
    </Link>
  );
}

/** Who reads the newest message still does when the next one comes; who reads above is left there. */
function useStayAtEnd(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const seenHeight = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const wasAtEnd = element.scrollTop + element.clientHeight >= seenHeight.current - 48;
    seenHeight.current = element.scrollHeight;
    if (wasAtEnd) element.scrollTop = element.scrollHeight;
  }, [count]);
  return scroller;
}
