import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { callApi } from '../../lib/api/call-api.ts';

/** Marks the chat of an item as read, up to its newest message. */
export async function markRead({ projectId, agentId = '' }: InboxItem): Promise<void> {
  const params = { pid: projectId, aid: agentId };
  const { messages } = await callApi('listMessages', { params, query: { limit: 1 } });
  const [newest] = messages;
  if (newest) await callApi('markRead', { params, body: { upToMessageId: newest.id } });
}
