import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { dismissible, inCalls } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { callApi } from '../../lib/api/call-api.ts';

/** Takes back that these were put away. */
export async function restoreItems(items: readonly InboxItem[]): Promise<void> {
  const refs = dismissible(items).map(({ createdAt: _, ...ref }) => ref);
  for (const some of inCalls(refs)) await callApi('restoreInbox', { body: { items: some } });
}
