import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { isCard } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

/** The socket reports most changes; polling finds the others (a right that was revoked, a deadline that passed). */
const POLL_MS = 60_000;

/** What waits for the person in all projects. */
const inboxQuery = () =>
  queryOptions({
    queryKey: keys.inbox,
    queryFn: async ({ signal }) => (await callApi('inbox', { signal })).items,
    refetchInterval: POLL_MS,
  });

export function useInbox(): {
  readonly items: readonly InboxItem[] | undefined;
  readonly error: Error | null;
} {
  const { data, error } = useQuery(inboxQuery());
  return { items: data, error };
}

export const itemKey = ({ kind, projectId, refId }: InboxItem) => `${kind} ${projectId} ${refId}`;

/**
 * Questions and approvals that were answered while the page is open stay in their place, as a line: otherwise a person
 * would wonder where they went, and whose answer was accepted.
 */
export function useKeptCards(items: readonly InboxItem[]): readonly InboxItem[] {
  const [known, setKnown] = useState<ReadonlyMap<string, InboxItem>>(new Map());
  const fresh = items.filter((item) => isCard(item) && !known.has(itemKey(item)));
  if (fresh.length > 0) setKnown(new Map([...known, ...fresh.map((item) => [itemKey(item), item] as const)]));
  const present = new Set(items.map(itemKey));
  const gone = [...known.values()].filter((item) => !present.has(itemKey(item)));
  if (gone.length === 0) return items;
  return [...items, ...gone].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
