import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useLiveProject, useProjectFrames } from '../../../lib/live/live.tsx';
import { joinCuts } from '../../../lib/queries/older-pages.ts';
import { meQuery } from '../../../lib/queries/queries.ts';
import { useStore } from '../../../lib/store.ts';
import { useChatApprovals } from '../../approvals/use-approvals.ts';
import { useChatConversations } from '../../conversations/use-conversations.ts';
import { useChatQuestions } from '../../questions/use-questions.ts';
import type { Outbox } from '../composer/outbox.ts';
import { outboxOf, useRetryOnReconnect } from '../composer/outboxes.ts';
import { withPending } from '../list/pending-rows.ts';
import { insertedRows, messageRows, type Row } from '../list/rows.ts';
import { useFirstUnread } from '../list/unread.ts';
import { viewerId } from '../session/viewer.ts';
import { ChatFeed } from './chat-feed.ts';
import { readPage } from './read-page.ts';
import type { Timeline } from './timeline.ts';

/** When the agent stopped writing without a final message, the partial answer is removed after this time. */
const ABANDONED_AFTER_MS = 1_500;

/** The rows of one chat, pending messages included; with the feed that loads and the outbox that sends. */
export function useMessages(projectId: string, agentId: string) {
  const meId = useQuery(meQuery()).data?.id;
  const [feed] = useState(() => new ChatFeed(readPage(projectId, agentId)));
  const outbox = outboxOf(projectId, agentId, meId);
  const timeline = useStore(feed.timeline);
  const firstUnreadId = useFirstUnread(projectId, agentId, timeline);
  useFeedUpdates(feed, outbox, projectId, agentId);
  useRetryOnReconnect(outbox);
  const since = timeline.hasOlder ? timeline.messages[0]?.createdAt : undefined;
  const { cards, cut: cutCards } = useChatQuestions(projectId, agentId, since);
  const { cards: approvals, cut: cutApprovals } = useChatApprovals(projectId, agentId, since);
  const { conversations, cut: cutConversations } = useChatConversations(projectId, agentId, since);
  const cut = joinCuts([cutCards, cutApprovals, cutConversations]);
  const cutAt = cut?.at;
  const inserted = useMemo(
    () => insertedRows(cards, conversations, approvals, cutAt),
    [cards, conversations, approvals, cutAt],
  );
  const { isLoaded, messages, sentAs, hasOlder } = timeline;
  const base = useMemo(
    () => (isLoaded ? messageRows({ messages, sentAs, hasOlder }, firstUnreadId, inserted) : []),
    [isLoaded, messages, sentAs, hasOlder, firstUnreadId, inserted],
  );
  const pending = useStore(outbox.pending);
  const rows: readonly Row[] = useMemo(
    () => withPending(base, pending, timeline.streaming, meId),
    [base, pending, timeline.streaming, meId],
  );
  return { feed, outbox, timeline, rows, cards, approvals, onShowMore: cut?.showMore };
}

/** Applies socket frames and acknowledged messages of the outbox to the feed, and catches up after a gap. */
function useFeedUpdates(feed: ChatFeed, outbox: Outbox, projectId: string, agentId: string): void {
  useLiveProject(projectId, viewerId());
  useProjectFrames(
    projectId,
    (frame) => {
      const at = Date.now();
      if (!('agentId' in frame) || frame.agentId !== agentId) return;
      if (frame.type === 'message') feed.apply({ type: 'frame', message: frame.message, at });
      if (frame.type === 'message_step' && frame.conversationId === undefined)
        feed.apply({ ...frame, type: 'step', at });
      if (frame.type === 'message_delta') feed.apply({ ...frame, type: 'delta', at });
      if (frame.type === 'message_discarded') feed.apply({ type: 'discarded', messageId: frame.messageId });
    },
    () => feed.catchUp(),
  );
  useEffect(() => {
    feed.catchUp();
    return () => feed.stop();
  }, [feed]);
  useEffect(
    () =>
      outbox.onStored((clientMessageId, message) =>
        feed.apply({ type: 'acknowledged', clientMessageId, message, at: Date.now() }),
      ),
    [outbox, feed],
  );
}

/** Removes a partial answer whose agent is no longer writing; if it became a message, that has its own frame. */
export function useAbandonedStream(
  feed: ChatFeed,
  { streaming }: Timeline,
  session: AgentSessionView | undefined,
): void {
  const isWriting = session?.chatStatus === 'busy' || session?.chatStatus === 'waiting_for_person';
  const isStreaming = streaming.length > 0;
  useEffect(() => {
    if (!isStreaming || isWriting) return;
    const timer = setTimeout(() => feed.apply({ type: 'stream_abandoned' }), ABANDONED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [feed, isStreaming, isWriting]);
}
