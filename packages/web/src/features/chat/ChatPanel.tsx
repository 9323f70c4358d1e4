import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { useEnterSends } from '../../lib/hooks/use-enter-sends.ts';
import { ChangesStrip } from '../changes/ChangesStrip.tsx';
import { MentionableContext } from '../mentions/mentionable-people.ts';
import { CaptureCards } from '../vision/CaptureCards.tsx';
import { CardReply } from './composer/CardReply.tsx';
import { Composer } from './composer/Composer.tsx';
import { ChatRow } from './list/ChatRow.tsx';
import { MessageList } from './list/MessageList.tsx';
import { approvalRowKey } from './list/rows.ts';
import { ChatHead } from './session/ChatHead.tsx';
import { ChatMenu } from './session/ChatMenu.tsx';
import { OfflineStrip, StartStrip, Strip } from './session/ChatStrips.tsx';
import { StartSteps } from './session/StartSteps.tsx';
import { firstTime, stepOf, useStartTimes } from './session/start-steps.ts';
import { useStopKeys } from './session/use-stop-keys.ts';
import { WaitingLine } from './session/WaitingLine.tsx';
import { ChatStepsProvider } from './steps/chat-steps.tsx';
import type { ChatNote } from './use-chat-actions.ts';
import { useChatPanel } from './use-chat-panel.ts';

export interface ChatPanelProps {
  readonly projectId: string;
  readonly agentId: string;
  /** The message of the address, to be shown. */
  readonly messageId: string | undefined;
  /** The question or the approval of the address, to be shown. */
  readonly questionId: string | undefined;
  readonly approvalId: string | undefined;
  readonly onClose: () => void;
}

type Chat = ReturnType<typeof useChatPanel>;

/** The chat with one agent. Fills the column that ProjectFrame gives it. */
export function ChatPanel(props: ChatPanelProps) {
  const { projectId, agentId, messageId, questionId, approvalId, onClose } = props;
  const cardKey = approvalId === undefined ? questionId : approvalRowKey(approvalId);
  const chat = useChatPanel(projectId, agentId, cardKey);
  const { me, agent, session, isPreparing, isReadOnly, input, actions } = chat;
  const [enterSends, setEnterSends] = useEnterSends();
  const menu = (
    <ChatMenu
      agentId={agentId}
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
      <ChatStepsProvider value={chat.steps}>
        <MentionableContext value={chat.mentionable}>
          <Messages chat={chat} targetId={messageId} />
        </MentionableContext>
      </ChatStepsProvider>
      <WaitingLine
        name={agent.name}
        session={session}
        waitsFor={chat.waitsFor}
        timeline={chat.timeline}
        asks={chat.pendingCard?.kind}
        onShowCard={chat.showPendingCard}
      />
      {me && chat.canWrite && chat.isAfterStart && (
        <CaptureCards projectId={projectId} agentId={agentId} agentName={agent.name} personId={me.id} />
      )}
      {chat.cardReply.held && (
        <CardReply
          key={chat.cardReply.held.card.toolUseId}
          held={chat.cardReply.held}
          card={chat.cardReply.card}
          sent={chat.cardReply.sent}
          onMessage={chat.cardReply.sendMessage}
          onTakenBack={chat.cardReply.takeBack}
          onDone={chat.cardReply.drop}
        />
      )}
      {/* A draft is kept for each person: before it is known who this is, what is typed would be lost. */}
      {me && (
        <Composer
          key={me.id}
          name={agent.name}
          projectId={projectId}
          draftKey={`draft.${me.id}.${projectId}.${agentId}`}
          inputRef={input}
          isPreparing={isPreparing}
          isBusy={session?.chatStatus === 'busy'}
          isReadOnly={isReadOnly}
          enterSends={enterSends}
          mentionable={chat.mentionable.filter(({ id }) => id !== me.id && id !== agentId)}
          onSend={chat.send}
        />
      )}
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
  const { agent, session, opening, timeline, feed, loadError, canStop, pendingCard } = chat;
  const { note, interrupt } = chat.actions;
  const isStopArmed = useStopKeys(canStop, interrupt);
  const times = useStartTimes(session);
  const step = stepOf(session);
  return (
    <>
      <ChatHead
        agent={agent}
        session={session}
        waitsFor={chat.waitsFor}
        startedAt={firstTime(times)}
        isAnswering={timeline.streaming.some(({ text }) => text !== '')}
        approvalSince={pendingCard?.kind === 'approval' ? Date.parse(pendingCard.createdAt) : undefined}
        onStop={canStop ? interrupt : undefined}
        onClose={onClose}
        menu={menu}
      />
      <div role="status">{isStopArmed && <Strip icon="stop">{t('chat.stopAgain')}</Strip>}</div>
      <OfflineStrip />
      <StartStrip session={session} waitsFor={chat.waitsFor} opening={opening} />
      {chat.isAfterStart && <ChangesStrip projectId={chat.projectId} agentId={agent.id} />}
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
  const { agent, me, feed, rows, timeline, outbox, onShowMore, targetCard, canWrite, actions, setIsAtEnd } =
    chat;
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
        <EmptyState
          icon="comment"
          title={t('chat.emptyTitle', { name: agent.name })}
          level={3}
          action={canWrite && <Starters onSend={chat.send} />}
        >
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
          onShowMore={onShowMore}
        />
      )}
    />
  );
}

const STARTERS = ['progress', 'abilities', 'next'] as const;

/** First messages for a chat that has none. */
function Starters({ onSend }: { readonly onSend: (content: string) => void }) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col items-start gap-1.5">
      {STARTERS.map((name) => (
        <button
          key={name}
          type="button"
          data-testid={`chat-starter-${name}`}
          className="rounded-md border border-line-strong bg-surface px-2.5 py-1 text-left text-13 text-ink hover:bg-hover pointer-coarse:min-h-9"
          onClick={() => onSend(t(`chat.starter.${name}`))}
        >
          {t(`chat.starter.${name}`)}
        </button>
      ))}
    </div>
  );
}
