import type { Message } from '@aizuchi/shared/contract/chat';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { useHasAttention } from '../../../lib/hooks/use-has-attention.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { unreadQuery } from '../../../lib/queries/queries.ts';
import { useInbox } from '../../inbox/use-inbox.ts';
import type { Timeline } from '../timeline/timeline.ts';

/** How many messages after `seq` were not written by this person. */
export function newSince(messages: readonly Message[], seq: number, meId: string | undefined): number {
  let count = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (!message || message.seq <= seq) break;
    if (message.sender !== 'user' || message.humanId !== meId) count += 1;
  }
  return count;
}

/** The first unread message: the last `unread` messages of agent and system are unread. */
function firstUnread(messages: readonly Message[], unread: number): string | undefined {
  if (unread === 0) return undefined;
  const fromOthers = messages.filter(({ sender }) => sender !== 'user');
  return fromOthers.at(-unread)?.id ?? fromOthers[0]?.id;
}

/** Decided once, when the panel opens; messages that arrive later do not move it. */
export function useFirstUnread(
  projectId: string,
  agentId: string,
  { isLoaded, messages }: Timeline,
): string | undefined {
  const { data } = useQuery(unreadQuery(projectId));
  const [decided, setDecided] = useState<{ readonly id: string | undefined }>();
  useEffect(() => {
    if (!decided && isLoaded && data) setDecided({ id: firstUnread(messages, data[agentId] ?? 0) });
  }, [decided, isLoaded, data, messages, agentId]);
  return decided?.id;
}

/** Reports to the server up to where the chat is read: only while its end is visible in a tab that has the focus. */
export function useMarkRead(
  pid: string,
  aid: string,
  { messages, isLoaded }: Timeline,
  isAtEnd: boolean,
): void {
  const client = useQueryClient();
  const hasAttention = useHasAttention();
  const lastId = messages.at(-1)?.id;
  const unread = useQuery(unreadQuery(pid)).data?.[aid] ?? 0;
  const { items = [] } = useInbox();
  // What another person has written does not count as unread, but waits for whom it mentions.
  const isMentioned = items.some(
    ({ kind, projectId, agentId }) => kind === 'mention' && projectId === pid && agentId === aid,
  );
  const isDue = isLoaded && hasAttention && isAtEnd && (unread > 0 || isMentioned) && lastId !== undefined;
  useEffect(() => {
    if (!isDue) return;
    // After a failure the messages stay unread; the next message reports again.
    void callApi('markRead', { params: { pid, aid }, body: { upToMessageId: lastId } }).then(
      ({ unread }) =>
        client.setQueryData<Readonly<Record<string, number>>>(keys.unread(pid), (counts) =>
          counts ? { ...counts, [aid]: unread } : counts,
        ),
      () => undefined,
    );
  }, [isDue, lastId, pid, aid, client]);
}
