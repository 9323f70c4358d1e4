import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { useEnterSends } from '../../lib/hooks/use-enter-sends.ts';
import { Composer } from './composer/Composer.tsx';
import { ChatRow } from './list/ChatRow.tsx';
import { MessageList } from './list/MessageList.tsx';
import { ChatHead } from './session/ChatHead.tsx';
import { ChatMenu } from './session/ChatMenu.tsx';
import { OfflineStrip, StartStrip, Strip } from './session/ChatStrips.tsx';
import { StartSteps } from './session/StartSteps.tsx';
import { firstTime, stepOf, useStartTimes } from './session/start-steps.ts';
import { WaitingLine } from './session/WaitingLine.tsx';
import type { ChatNote } from './use-chat-actions.ts';
import { useChatPanel } from './use-chat-panel.ts';

export interface ChatPanelProps {
  readonly projectId: string;
  readonly agentId: string;
  /** The message of the address, to be shown. */
  readonly messageId: string | undefined;
  /** The card of the address, to be shown. */
  readonly questionId: string | undefined;
  readonly onClose: () => void;
}

type Chat = ReturnType<typeof useChatPanel>;

/** The chat with one agent. Fills the column that ProjectFrame gives it. */
export function ChatPanel({ projectId, agentId, messageId, questionId, onClose }: ChatPanelProps) {
  const chat = useChatPanel(projectId, agentId, questionId);
  const { me, agent, session, isPreparing, isReadOnly, input, actions } = chat;
  const [enterSends, setEnterSends] = useEnterSends();
  const menu = (
    <ChatMenu
      canWrite={chat.canWrite}
      enterSends={enterSends}
      onEnterSends={setEnterSends}
      onNewContext={actions.startNewContext}
      onEndNow={actions.endNow}
    />
  );
  return (
    <>
      <Top chat={chat} menu={menu} onClose={onClose} />
      <Messages chat={chat} targetId={messageId} />
      <WaitingLine
        name={agent.name}
        session={session}
        timeline={chat.timeline}
        isAsking={chat.pendingCard !== undefined}
        onShowCard={chat.showPendingCard}
      />
      <Composer
        // A draft is kept for each person: it is read as soon as it is known who this is.
        key={me?.id}
        name={agent.name}
        draftKey={`draft.${me?.id ?? ''}.${projectId}.${agentId}`}
        inputRef={input}
        isPreparing={isPreparing}
        isBusy={session?.chatStatus === 'busy'}
        isReadOnly={isReadOnly}
        enterSends={enterSends}
        onSend={chat.send}
        onStop={actions.interrupt}
      />
    </>
  );
}

interface TopProps {
  readonly chat: Chat;
  readonly menu: ReactNode;
  readonly onClose: () => void;
}

/** Head, progress of the start, and what went wrong. */
function Top({ chat, menu, onClose }: TopProps) {
  const { t } = useTranslation();
  const { agent, session, opening, timeline, feed, loadError } = chat;
  const { note } = chat.actions;
  const times = useStartTimes(session);
  const step = stepOf(session);
  return (
    <>
      <ChatHead
        agent={agent}
        session={session}
        startedAt={firstTime(times)}
        answeringSince={timeline.streaming[0]?.since}
        onClose={onClose}
        menu={menu}
      />
      <OfflineStrip />
      <StartStrip session={session} opening={opening} />
      {step !== undefined && <StartSteps step={step} times={times} />}
      {opening.state === 'refused' && (
        <ErrorNote error={opening.error} title={t('chat.startFailed')} className="m-3 flex-none" />
      )}
      {loadError !== undefined && opening.state !== 'refused' && (
        <ErrorNote
          error={loadError}
          title={t('chat.loadFailed')}
          onRetry={() => feed.catchUp()}
          className="m-3 flex-none"
        />
      )}
      {note && <NoteStrip note={note} />}
    </>
  );
}

function NoteStrip({ note }: { readonly note: ChatNote }) {
  const { t } = useTranslation();
  if ('text' in note)
    return (
      <div role="status">
        <Strip icon="info">{note.text}</Strip>
      </div>
    );
  return <ErrorNote error={note.error} title={t('chat.actionFailed')} className="m-3 flex-none" />;
}

function Messages({ chat, targetId }: { readonly chat: Chat; readonly targetId: string | undefined }) {
  const { t } = useTranslation();
  const { agent, me, feed, rows, timeline, outbox, targetCard, canWrite, actions, setIsAtEnd } = chat;
  return (
    <MessageList
      name={agent.name}
      meId={me?.id}
      feed={feed}
      rows={rows}
      targetId={targetId}
      targetCard={targetCard}
      onAtEnd={setIsAtEnd}
      empty={
        <EmptyState icon="comment" title={t('chat.emptyTitle', { name: agent.name })} level={3}>
          {t('chat.emptyText')}
        </EmptyState>
      }
      renderRow={(row, toggle) => (
        <ChatRow
          row={row}
          toggle={toggle}
          timeline={timeline}
          agent={agent}
          me={me}
          outbox={outbox}
          onRetry={canWrite ? actions.retry : undefined}
        />
      )}
    />
  );
}
