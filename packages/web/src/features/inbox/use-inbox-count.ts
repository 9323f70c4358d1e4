import { inboxEntries } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useParams, useSearch } from '@tanstack/react-router';
import { useHasAttention } from '../../lib/hooks/use-has-attention.ts';
import { useInbox } from './use-inbox.ts';

/** The number of rows, without the unread messages and mentions of the chat that the person looks at: they are being read. */
export function useInboxCount(): number {
  const { items = [] } = useInbox();
  const { projectId } = useParams({ strict: false });
  const { agent } = useSearch({ strict: false });
  const hasAttention = useHasAttention();
  const isBeingRead = (item: (typeof items)[number]) =>
    hasAttention &&
    (item.kind === 'unread' || item.kind === 'mention') &&
    item.projectId === projectId &&
    item.agentId === agent;
  return inboxEntries(items.filter((item) => !isBeingRead(item))).length;
}
