import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { membersQuery, meQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { useStore } from '../../lib/store.ts';
import { useMarkRead } from './list/unread.ts';
import type { TargetCard } from './list/use-scroll-targets.ts';
import { useAgentSession, useIsPreparing } from './session/use-agent-session.ts';
import { useOpenChat } from './session/use-open-chat.ts';
import { useAbandonedStream, useMessages } from './timeline/use-messages.ts';
import { useChatActions } from './use-chat-actions.ts';

/** The state of an open chat: its agent and session, its messages, the pending card and the actions. */
export function useChatPanel(projectId: string, agentId: string, questionId: string | undefined) {
  const { data: me } = useQuery(meQuery());
  const { data: members } = useQuery(membersQuery(projectId));
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const session = useAgentSession(projectId, agentId);
  const opening = useOpenChat(projectId, agentId, canWrite);
  const isPreparing = useIsPreparing(session, opening);
  const { feed, outbox, timeline, rows, cards } = useMessages(projectId, agentId);
  const loadError = useStore(feed.error);
  const [targetCard, showCard] = useTargetCard(questionId);
  const pendingCard = cards.find(({ status }) => status === 'pending');
  const [isAtEnd, setIsAtEnd] = useState(true);
  const isCardInView = isAtEnd && rows.at(-1)?.key === pendingCard?.toolUseId;
  const actions = useChatActions(projectId, agentId);
  const input = useFocusedInput(me?.id);
  useMarkRead(projectId, agentId, timeline, isAtEnd);
  useAbandonedStream(feed, timeline, session);
  return {
    me,
    agent: { id: agentId, name: members?.find(({ id }) => id === agentId)?.name ?? agentId },
    canWrite,
    isReadOnly,
    session,
    opening,
    isPreparing,
    feed,
    outbox,
    timeline,
    rows,
    loadError,
    targetCard,
    pendingCard,
    /** Absent while no card is pending, and while the pending one is in view. */
    showPendingCard: pendingCard && !isCardInView ? () => showCard(pendingCard.toolUseId) : undefined,
    setIsAtEnd,
    input,
    actions,
    send: (content: string) => {
      actions.clearNote();
      outbox.add(content, timeline.messages.at(-1)?.seq ?? 0);
    },
  };
}

/** The card of the address, later the one that a click asks for. */
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

/** Focuses the composer when the chat opens. Not on a touch screen, where the keyboard would cover the chat. */
function useFocusedInput(personId: string | undefined) {
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus({ preventScroll: true });
  }, [personId]);
  return input;
}
