import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { patch, withConversation } from '../../lib/live/apply-frame.ts';
import { useProjectFrames } from '../../lib/live/live.tsx';
import { keys } from '../../lib/queries/keys.ts';

/** What a list shows at most: the newest; older ones have their address still. */
export const SHOWN_CONVERSATIONS = 200;

export const conversationsQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.conversations(pid),
    queryFn: async ({ signal }) => {
      const query = { limit: SHOWN_CONVERSATIONS };
      return (await callApi('listConversations', { params: { pid }, query, signal })).conversations;
    },
  });

/** The named one: from the list, or by itself when it is older than what the list shows. */
export function useConversation(pid: string, cid: string | undefined) {
  const list = useQuery(conversationsQuery(pid));
  const listed = list.data?.find(({ id }) => id === cid);
  const single = useQuery({
    queryKey: keys.conversation(pid, cid ?? ''),
    queryFn: ({ signal }) => callApi('getConversation', { params: { cid: cid ?? '' }, signal }),
    enabled: cid !== undefined && list.isSuccess && listed === undefined,
  });
  return { conversation: listed ?? single.data, error: list.error ?? single.error };
}

/** Those that an agent took part in, from the oldest message on that its chat shows (from all: no `since`). */
export function useChatConversations(
  pid: string,
  aid: string,
  since: string | undefined,
): readonly Conversation[] {
  const { data } = useQuery(conversationsQuery(pid));
  return useMemo(
    () =>
      (data ?? []).filter(
        ({ initiatorAgentId, participantAgentId, createdAt }) =>
          (initiatorAgentId === aid || participantAgentId === aid) &&
          (since === undefined || createdAt >= since),
      ),
    [data, aid, since],
  );
}

/** Everything the two said: a conversation has forty messages at most. Frames bring the later ones. */
export function useConversationMessages(pid: string, cid: string) {
  const queryKey = keys.conversationMessages(pid, cid);
  const client = useQueryClient();
  useProjectFrames(
    pid,
    (frame) => {
      if (frame.type !== 'message' || frame.message.conversationId !== cid) return;
      // Which of several changes of one message is the last, only the server knows.
      void client.invalidateQueries({ queryKey, exact: true });
    },
    () => void client.invalidateQueries({ queryKey, exact: true }),
  );
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const query = { limit: 200 };
      return (await callApi('listConversationMessages', { params: { cid }, query, signal })).messages;
    },
  });
}

/** A person stops it: both sides hear it at their next call. */
export function useStopConversation(pid: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (cid: string) => callApi('endConversation', { params: { cid } }),
    onSuccess: (conversation) =>
      patch<readonly Conversation[]>(client, keys.conversations(pid), (list) =>
        withConversation(list, conversation),
      ),
  });
}
