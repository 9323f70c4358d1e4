import { inboxEntries } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useParams, useSearch } from '@tanstack/react-router';
import { useHasAttention } from '../../lib/hooks/use-has-attention.ts';
import { useInbox } from './use-inbox.ts';

/** The number of rows, without what is being read: unread messages and mentions of the chat or task that the person looks at. */
export function useInboxCount(): number {
  const { items = [] } = useInbox();
  const { projectId } = useParams({ strict: false });
  const { agent, task } = useSearch({ strict: false });
  const hasAttention = useHasAttention();
  const isBeingRead = (item: (typeof items)[number]) =>
    hasAttention &&
    (item.kind === 'unread' || item.kind === 'mention') &&
    item.projectId === projectId &&
    (item.taskId === undefined ? item.agentId === agent : item.taskId === task);
  return inboxEntries(items.filter((item) => !isBeingRead(item))).length;
}
