import type { Approval } from '@aizuchi/shared/contract/approval';
import type { Attachment } from '@aizuchi/shared/contract/attachment';
import type { Question } from '@aizuchi/shared/contract/question';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { membersQuery, meQuery } from '../../lib/queries/queries.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { useStore } from '../../lib/store.ts';
import { takeFocus } from '../../lib/take-focus.ts';
import { useMentionable } from '../mentions/mentionable-people.ts';
import { useCardReply } from './composer/use-card-reply.ts';
import { approvalRowKey } from './list/rows.ts';
import { useMarkRead } from './list/unread.ts';
import type { TargetCard } from './list/use-scroll-targets.ts';
import { useAfterStart } from './session/use-after-start.ts';
import { useAgentSession, useIsPreparing } from './session/use-agent-session.ts';
import { useFolderWait } from './session/use-folder-wait.ts';
import { useOpenChat } from './session/use-open-chat.ts';
import { useChatSteps } from './steps/chat-steps.tsx';
import { useAbandonedStream, useMessages } from './timeline/use-messages.ts';
import { useChatActions } from './use-chat-actions.ts';

/** The state of an open chat: its agent and session, its messages, the pending card and the actions. */
export function useChatPanel(projectId: string, agentId: string, cardKey: string | undefined) {
  const { data: me } = useQuery(meQuery());
  const { data: members } = useQuery(membersQuery(projectId));
  const { canWrite, isReadOnly } = useWriteAccess(projectId);
  const session = useAgentSession(projectId, agentId);
  const opening = useOpenChat(projectId, agentId, canWrite);
  const isPreparing = useIsPreparing(session, opening);
  const { feed, outbox, timeline, rows, cards, approvals, onShowMore } = useMessages(projectId, agentId);
  const loadError = useStore(feed.error);
  const steps = useChatSteps(feed, projectId, agentId, session);
  const [targetCard, showCard] = useTargetCard(cardKey);
  const pendingCard = pendingOf(cards, approvals);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const isCardInView = isAtEnd && rows.at(-1)?.key === pendingCard?.key;
  const actions = useChatActions(projectId, agentId);
  const input = useFocusedInput(me?.id);
  const sendMessage = (content: string, files: readonly Attachment[] = []) => {
    actions.clearNote();
    outbox.add(content, timeline.messages.at(-1)?.seq ?? 0, files);
  };
  const asked = pendingCard?.kind === 'question' ? cards.find(isPending) : undefined;
  const cardReply = useCardReply(asked, cards, sendMessage);
  useMarkRead(projectId, agentId, timeline, isAtEnd);
  useAbandonedStream(feed, timeline, session);
  const nameOf = (id: string) => members?.find((one) => one.id === id)?.name ?? id;
  return {
    projectId,
    me,
    agent: { id: agentId, name: nameOf(agentId) },
    mentionable: useMentionable(projectId),
    waitsFor: useFolderWait(session, nameOf),
    canWrite,
    /** The agent works or waits for a person, and this person may stop it. */
    canStop: canWrite && (session?.chatStatus === 'busy' || session?.chatStatus === 'waiting_for_person'),
    isReadOnly,
    session,
    opening,
    isPreparing,
    isAfterStart: useAfterStart(isPreparing),
    feed,
    outbox,
    timeline,
    steps,
    rows,
    onShowMore,
    loadError,
    targetCard,
    pendingCard,
    /** Absent while no card is pending, and while the pending one is in view. */
    showPendingCard: pendingCard && !isCardInView ? () => showCard(pendingCard.key) : undefined,
    setIsAtEnd,
    input,
    actions,
    /** An answer that was written in the composer and is not sent yet. */
    cardReply,
    send: (content: string, files: readonly Attachment[] = []) => {
      // The answer to a card has no files.
      if (files.length > 0 || !cardReply.take(content)) sendMessage(content, files);
    },
  };
}

const isPending = ({ status }: Question) => status === 'pending';

/** What the agent waits for: the oldest pending approval, else the oldest pending question. */
export interface PendingCard {
  readonly kind: 'question' | 'approval';
  /** The key of its row. */
  readonly key: string;
  readonly createdAt: string;
}

function pendingOf(cards: readonly Question[], approvals: readonly Approval[]): PendingCard | undefined {
  const approval = approvals.find(({ status }) => status === 'pending');
  if (approval) return { kind: 'approval', key: approvalRowKey(approval.id), createdAt: approval.createdAt };
  const card = cards.find(isPending);
  return card && { kind: 'question', key: card.toolUseId, createdAt: card.createdAt };
}

/** The card of the address, later the one that a click asks for. */
function useTargetCard(
  cardKey: string | undefined,
): [target: TargetCard | undefined, show: (key: string) => void] {
  const [target, setTarget] = useState<TargetCard>();
  const show = useCallback(
    (key: string) => setTarget((before) => ({ key, asked: (before?.asked ?? 0) + 1 })),
    [],
  );
  useEffect(() => {
    if (cardKey !== undefined) show(cardKey);
  }, [cardKey, show]);
  return [target, show];
}

/** Focuses the composer when the chat opens. Not on a touch screen, where the keyboard would cover the chat. */
function useFocusedInput(personId: string | undefined) {
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) takeFocus(input.current);
  }, [personId]);
  return input;
}
