import type { AgentSessionView, Message } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { useLiveProject, useLiveStatus, useProjectFrames } from '../../lib/live/live.tsx';
import { agentSessionsQuery, meQuery } from '../../lib/queries/queries.ts';
import { useStore } from '../../lib/store.ts';
import { ChatFeed } from './chat-feed.ts';
import { Outbox } from './outbox.ts';
import { messageRows, type Row, withPending } from './rows.ts';
import { isKnown, type Timeline } from './timeline.ts';
import { useFirstUnread } from './unread.ts';
import { viewerId } from './viewer.ts';

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
      if (frame.type === 'message') hearMessage(feed, frame.message, agentId, at);
      if (frame.type === 'message_delta' && frame.agentId === agentId)
        feed.apply({ ...frame, type: 'delta', at });
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
  const base = useMemo(
    () => messageRows({ messages: timeline.messages, sentAs: timeline.sentAs }, firstUnreadId),
    [timeline.messages, timeline.sentAs, firstUnreadId],
  );
  const rows: readonly Row[] = useMemo(
    () => withPending(base, sends, timeline.growing, meId),
    [base, sends, timeline.growing, meId],
  );
  return { feed, outbox, timeline, rows };
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

/** What an agent says names it; what people and the system say in a chat names nobody, so REST is asked. */
function hearMessage(feed: ChatFeed, message: Message, agentId: string, at: number): void {
  if (message.conversationId !== undefined) return;
  if (message.sender === 'agent' && message.senderId !== agentId) return;
  feed.apply({ type: 'frame', message, at, isOfChat: message.sender === 'agent' });
  if (!isKnown(feed.timeline.get(), message.id)) feed.catchUp();
}

function readPage(pid: string, aid: string) {
  return (query: { after?: string; before?: string; limit: number }, signal: AbortSignal) =>
    callApi('listMessages', { params: { pid, aid }, query: { ...query, viewerId: viewerId() }, signal });
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
