import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { useLiveProject, useLiveStatus, useProjectFrames } from '../../../lib/live/live.tsx';
import { agentSessionsQuery, meQuery } from '../../../lib/queries/queries.ts';
import { useStore } from '../../../lib/store.ts';
import { useChatConversations } from '../../conversations/use-conversations.ts';
import { useChatQuestions } from '../../questions/use-questions.ts';
import { Outbox } from '../composer/outbox.ts';
import { asidesOf, messageRows, type Row, withPending } from '../list/rows.ts';
import { useFirstUnread } from '../list/unread.ts';
import { viewerId } from '../session/viewer.ts';
import { ChatFeed } from './chat-feed.ts';
import { readPage } from './read-page.ts';
import type { Timeline } from './timeline.ts';

/** Polled this often while the agent is being started: the socket may miss a step that is over at once. */
const STARTING_POLL_MS = 1_000;
/** An answer that was cut without a word comes to an end on the screen, too. */
const GROWTH_OVER_MS = 1_500;

/** Messages, what is on its way, and the reading and sending of one chat. */
export function useMessages(projectId: string, agentId: string) {
  const meId = useQuery(meQuery()).data?.id;
  const [feed] = useState(() => new ChatFeed(readPage(projectId, agentId)));
  const outbox = outboxOf(projectId, agentId, meId);
  const timeline = useStore(feed.timeline);
  const sends = useStore(outbox.sends);
  const firstUnreadId = useFirstUnread(projectId, agentId, timeline);
  useLiveProject(projectId, viewerId());
  useProjectFrames(
    projectId,
    (frame) => {
      const at = Date.now();
      if (!('agentId' in frame) || frame.agentId !== agentId) return;
      if (frame.type === 'message') feed.apply({ type: 'frame', message: frame.message, at });
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
        feed.apply({ type: 'acked', clientMessageId, message, at: Date.now() }),
      ),
    [outbox, feed],
  );
  useRetryWhenBack(outbox);
  const since = timeline.hasOlder ? timeline.messages[0]?.createdAt : undefined;
  const cards = useChatQuestions(projectId, agentId, since);
  const conversations = useChatConversations(projectId, agentId, since);
  const asides = useMemo(() => asidesOf(cards, conversations), [cards, conversations]);
  const base = useMemo(
    () =>
      timeline.isLoaded
        ? messageRows({ messages: timeline.messages, sentAs: timeline.sentAs }, firstUnreadId, asides)
        : [],
    [timeline.isLoaded, timeline.messages, timeline.sentAs, firstUnreadId, asides],
  );
  const rows: readonly Row[] = useMemo(
    () => withPending(base, sends, timeline.growing, meId),
    [base, sends, timeline.growing, meId],
  );
  return { feed, outbox, timeline, rows, cards };
}

/** What the agent does now, kept current while it starts. */
export function useAgentSession(projectId: string, agentId: string): AgentSessionView | undefined {
  const { data } = useQuery({
    ...agentSessionsQuery(projectId),
    refetchInterval: ({ state }) => {
      const status = state.data?.[agentId]?.chatStatus;
      return status === 'queued' || status === 'starting' || status === 'ending' ? STARTING_POLL_MS : false;
    },
  });
  return data?.[agentId];
}

/** What was shown of an answer whose writer is gone goes away; the message behind it has its own frame. */
export function useGrowthEnd(
  feed: ChatFeed,
  { growing }: Timeline,
  session: AgentSessionView | undefined,
): void {
  const isWriting = session?.chatStatus === 'busy' || session?.chatStatus === 'waiting_for_person';
  const isGrowing = growing.length > 0;
  useEffect(() => {
    if (!isGrowing || isWriting) return;
    const timer = setTimeout(() => feed.apply({ type: 'growth_over' }), GROWTH_OVER_MS);
    return () => clearTimeout(timer);
  }, [feed, isGrowing, isWriting]);
}

function useRetryWhenBack(outbox: Outbox): void {
  const { state } = useLiveStatus();
  useEffect(() => {
    if (state === 'open') outbox.retry();
  }, [outbox, state]);
}

/** One for each chat of the tab: what is on its way goes on when the panel closes. */
const outboxes = new Map<string, Outbox>();

function outboxOf(pid: string, aid: string, meId: string | undefined): Outbox {
  const key = `outbox.${meId ?? ''}.${pid}.${aid}`;
  const known = outboxes.get(key);
  if (known) return known;
  const outbox = new Outbox({
    storageKey: key,
    post: (body) => callApi('postMessage', { params: { pid, aid }, body }),
  });
  outboxes.set(key, outbox);
  return outbox;
}
