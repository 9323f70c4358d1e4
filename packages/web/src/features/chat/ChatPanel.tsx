import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { callApi } from '../../lib/api/call-api.ts';
import { membersQuery, meQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { storage } from '../../lib/storage.ts';
import { useStore } from '../../lib/store.ts';
import { Composer } from './composer/Composer.tsx';
import { ChatRow } from './list/ChatRow.tsx';
import { MessageList, type TargetCard } from './list/MessageList.tsx';
import { useMarkRead } from './list/unread.ts';
import { ChatHead } from './session/ChatHead.tsx';
import { ChatMenu } from './session/ChatMenu.tsx';
import { OfflineStrip, StartStrip, Strip } from './session/ChatStrips.tsx';
import { StartSteps } from './session/StartSteps.tsx';
import { firstTime, stepOf, useStartTimes } from './session/start-steps.ts';
import { type Opening, useOpening } from './session/use-open-chat.ts';
import { WaitingLine } from './session/WaitingLine.tsx';
import { useAgentSession, useGrowthEnd, useMessages } from './timeline/use-messages.ts';

export interface ChatPanelProps {
  readonly projectId: string;
  readonly agentId: string;
  /** The message of the address, to be shown. */
  readonly messageId: string | undefined;
  /** The card of the address, to be shown. */
  readonly questionId: string | undefined;
  readonly onClose: () => void;
}

/** The chat with one agent. Fills the column that ProjectFrame gives it. */
export function ChatPanel({ projectId, agentId, messageId, questionId, onClose }: ChatPanelProps) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: members } = useQuery(membersQuery(projectId));
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const agent = members?.find(({ id }) => id === agentId) ?? { name: agentId };
  const session = useAgentSession(projectId, agentId);
  const opening = useOpening(projectId, agentId, canWrite);
  const isPreparing = useIsPreparing(session, opening);
  const { feed, outbox, timeline, rows, cards } = useMessages(projectId, agentId);
  const loadError = useStore(feed.error);
  const [targetCard, showCard] = useTargetCard(questionId);
  const pendingCard = cards.find(({ status }) => status === 'pending');
  const [isAtEnd, setIsAtEnd] = useState(true);
  const isCardAway = pendingCard !== undefined && !(isAtEnd && rows.at(-1)?.key === pendingCard.toolUseId);
  const [note, setNote] = useState<Note>();
  const [enterSends, setEnterSends] = useEnterSends();
  const input = useFocusedInput(me?.id);
  const times = useStartTimes(session);
  const step = stepOf(session);
  useMarkRead(projectId, agentId, timeline, isAtEnd);
  useGrowthEnd(feed, timeline, session);
  const act = useCallback(async (action: () => Promise<unknown>, done?: Note) => {
    try {
      await action();
      setNote(done);
    } catch (error) {
      setNote({ error });
    }
  }, []);
  const params = { pid: projectId, aid: agentId };
  const retry = useCallback(
    (ids: readonly string[]) =>
      void act(async () => {
        for (const mid of ids) await retryMessage(projectId, agentId, mid);
      }),
    [act, projectId, agentId],
  );
  const onSend = (content: string) => {
    setNote(undefined);
    outbox.add(content, timeline.messages.at(-1)?.seq ?? 0);
  };
  return (
    <>
      <ChatHead
        agent={agent}
        session={session}
        startedAt={firstTime(times)}
        answeringSince={timeline.growing[0]?.since}
        onClose={onClose}
        menu={
          <ChatMenu
            canWrite={canWrite}
            enterSends={enterSends}
            onEnterSends={setEnterSends}
            onNewContext={() =>
              void act(() => callApi('newChat', { params }), { text: t('chat.contextStarted') })
            }
            onEndNow={() => act(() => callApi('endChat', { params, body: { force: true } }))}
          />
        }
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
      <MessageList
        name={agent.name}
        meId={me?.id}
        feed={feed}
        rows={rows}
        targetId={messageId}
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
            agent={{ id: agentId, name: agent.name }}
            me={me}
            outbox={outbox}
            onRetry={canWrite ? retry : undefined}
          />
        )}
      />
      <WaitingLine
        name={agent.name}
        session={session}
        timeline={timeline}
        isAsking={pendingCard !== undefined}
        onShowCard={isCardAway && pendingCard ? () => showCard(pendingCard.toolUseId) : undefined}
      />
      <Composer
        // What was begun is kept for each person: it is looked for when it is known who this is.
        key={me?.id}
        name={agent.name}
        draftKey={`draft.${me?.id ?? ''}.${projectId}.${agentId}`}
        inputRef={input}
        isPreparing={isPreparing}
        isBusy={session?.chatStatus === 'busy'}
        isReadOnly={isReadOnly}
        enterSends={enterSends}
        onSend={onSend}
        onStop={() => void act(() => callApi('interruptChat', { params }))}
      />
    </>
  );
}

type Note = { readonly error: unknown } | { readonly text: string };

function NoteStrip({ note }: { readonly note: Note }) {
  const { t } = useTranslation();
  if ('text' in note)
    return (
      <div role="status">
        <Strip icon="info">{note.text}</Strip>
      </div>
    );
  return <ErrorNote error={note.error} title={t('chat.actionFailed')} className="m-3 flex-none" />;
}

/** The card of the address, then the one that a click asked for. */
function useTargetCard(
  questionId: string | undefined,
): [target: TargetCard | undefined, show: (toolUseId: string) => void] {
  const [target, setTarget] = useState<TargetCard>();
  const show = useCallback(
    (toolUseId: string) => setTarget((before) => ({ toolUseId, asked: (before?.asked ?? 0) + 1 })),
    [],
  );
  useEffect(() => {
    if (questionId !== undefined) show(questionId);
  }, [questionId, show]);
  return [target, show];
}

/** Another tab may have been faster: then it is done. */
async function retryMessage(pid: string, aid: string, mid: string): Promise<void> {
  try {
    await callApi('retryMessage', { params: { pid, aid, mid } });
  } catch (error) {
    if (!isCode(error, 'message_not_failed')) throw error;
  }
}

/**
 * 「準備中...」 until a chat session is active. Not when nothing is being prepared: a start that was given up, or an
 * agent that went to sleep after it was ready; writing wakes it.
 */
function useIsPreparing(session: AgentSessionView | undefined, opening: Opening): boolean {
  const [wasReady, setWasReady] = useState(false);
  const isReady = (session?.chat ?? 0) > 0;
  useEffect(() => {
    if (isReady) setWasReady(true);
  }, [isReady]);
  if (isReady) return false;
  if (opening.state !== 'open') return true;
  const isGivenUp = session?.chatStatus === 'failed' && session.reason !== 'sign_in_refused';
  const isAsleep = wasReady && (session?.chatStatus ?? 'none') === 'none';
  return !isGivenUp && !isAsleep;
}

function useEnterSends(): [boolean, (enterSends: boolean) => void] {
  const [enterSends, setEnterSends] = useState(() => storage.get('enterSends') === 'yes');
  return [
    enterSends,
    (next) => {
      storage.set('enterSends', next ? 'yes' : 'no');
      setEnterSends(next);
    },
  ];
}

/** Who opens a chat wants to write; a touch screen would cover it with its keyboard. */
function useFocusedInput(personId: string | undefined) {
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus({ preventScroll: true });
  }, [personId]);
  return input;
}
