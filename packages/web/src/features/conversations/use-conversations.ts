import type { Message } from '@aizuchi/shared/contract/chat';
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { applyConversation } from '../../lib/live/apply-frame.ts';
import type { ConversationPage } from '../../lib/live/conversation-pages.ts';
import { useProjectFrames } from '../../lib/live/live.tsx';
import { keys } from '../../lib/queries/keys.ts';
import { useOlderPages } from '../../lib/queries/use-older-pages.ts';

const PAGE = 100;

/** Those of the project, or of one agent in it: newest first, page by page. */
const conversationsQuery = (pid: string, agentId?: string) =>
  infiniteQueryOptions({
    queryKey: agentId === undefined ? keys.conversations(pid) : keys.chatConversations(pid, agentId),
    queryFn: ({ pageParam, signal }): Promise<ConversationPage> =>
      callApi('listConversations', {
        params: { pid },
        query: {
          limit: PAGE,
          ...(agentId !== undefined && { agentId }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** The conversations of the pages loaded so far; undefined before the first page. */
export function useConversations(pid: string) {
  const query = useInfiniteQuery(conversationsQuery(pid));
  const { data } = query;
  const conversations = useMemo(() => data?.pages.flatMap((page) => page.conversations), [data]);
  return { ...query, conversations };
}

/** One conversation: from the list, or read by itself when it is older than the loaded pages. */
export function useConversation(pid: string, cid: string | undefined) {
  const list = useConversations(pid);
  const listed = list.conversations?.find(({ id }) => id === cid);
  const single = useQuery({
    queryKey: keys.conversation(pid, cid ?? ''),
    queryFn: ({ signal }) => callApi('getConversation', { params: { cid: cid ?? '' }, signal }),
    enabled: cid !== undefined && list.isSuccess && listed === undefined,
  });
  return { conversation: listed ?? single.data, error: list.error ?? single.error };
}

/**
 * The conversations of an agent since the oldest loaded message of its chat (without `since`: all), newest first, within
 * the limit of pages.
 */
export function useChatConversations(pid: string, aid: string, since: string | undefined) {
  const { data, isFetching, isError, fetchNextPage } = useInfiniteQuery(conversationsQuery(pid, aid));
  const last = data?.pages.at(-1);
  const read = {
    count: data?.pages.length ?? 0,
    oldest: last?.conversations.at(-1)?.createdAt,
    hasMore: last !== undefined && last.nextCursor !== null,
  };
  const cut = useOlderPages({ read, isFetching, isError, fetchNextPage }, since);
  const conversations = useMemo(
    () =>
      (data?.pages ?? [])
        .flatMap((page) => page.conversations)
        .filter(({ createdAt }) => since === undefined || createdAt >= since),
    [data, since],
  );
  return { conversations, cut };
}

/** All messages of a conversation: it has at most forty. They are read again after a frame. */
export function useConversationMessages(pid: string, cid: string) {
  const queryKey = keys.conversationMessages(pid, cid);
  const client = useQueryClient();
  useProjectFrames(
    pid,
    (frame) => {
      if (frame.type !== 'message' || frame.message.conversationId !== cid) return;
      // Only the server knows which of several changes of one message is the latest.
      void client.invalidateQueries({ queryKey, exact: true });
    },
    () => void client.invalidateQueries({ queryKey, exact: true }),
  );
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const pages: Message[][] = [];
      // The size of a page in bytes is limited: a page of long messages holds only two or three.
      for (let before: string | undefined, hasMore = true; hasMore; ) {
        const query = { limit: 200, ...(before !== undefined && { before }) };
        const page = await callApi('listConversationMessages', { params: { cid }, query, signal });
        pages.unshift(page.messages);
        before = page.messages[0]?.id;
        hasMore = page.hasMore && before !== undefined;
      }
      return pages.flat();
    },
  });
}

/** Stops a conversation: both agents learn of it at their next call. */
export function useStopConversation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (cid: string) => callApi('endConversation', { params: { cid } }),
    onSuccess: (conversation) => applyConversation(client, conversation),
  });
}
