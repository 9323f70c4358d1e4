import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { type InboxEntry, itemsOf } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import type { IconName } from '../../components/icon-paths.ts';
import type { Filter, InboxSearch } from './inbox-search.ts';

const FILTER_OF: Record<InboxItem['kind'], Filter> = {
  question: 'question',
  approval: 'approval',
  failed_message: 'failure',
  failed_run: 'failure',
  review: 'review',
  proposal: 'review',
  blocked_task: 'blocked_task',
  mention: 'mention',
  unread: 'unread',
};

export const FILTER_ICONS: Record<Filter, IconName> = {
  question: 'question',
  approval: 'shield',
  failure: 'warning',
  review: 'check',
  blocked_task: 'blocked',
  mention: 'bell',
  unread: 'comment',
};

export function isShown(item: InboxItem, { kind, project }: InboxSearch): boolean {
  return (
    (kind === undefined || FILTER_OF[item.kind] === kind) &&
    (project === undefined || item.projectId === project)
  );
}

/** A row belongs to the kinds of everything that it is about. */
export function isEntryShown(entry: InboxEntry, search: InboxSearch): boolean {
  return itemsOf(entry).some((item) => isShown(item, search));
}

export function countOf(entries: readonly InboxEntry[], search: InboxSearch): number {
  return entries.filter((entry) => isEntryShown(entry, search)).length;
}
