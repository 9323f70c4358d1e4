import { inboxEntries } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { agentsQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { isEntryShown } from './filters.ts';
import { useRowKeys } from './row-focus.ts';
import { useDismiss } from './use-dismiss.ts';
import { itemKey, useInbox, useKeptCards } from './use-inbox.ts';

const route = getRouteApi('/signed-in/inbox');

/** The rows that the address selects, names for their ids, and the keys. */
export function useInboxPage() {
  const search = route.useSearch();
  const { items, error } = useInbox();
  const { data: projects = [] } = useQuery(projectsQuery());
  const { data: agents = [] } = useQuery(agentsQuery());
  const list = useRef<HTMLDivElement>(null);
  const waiting = items ?? [];
  const rows = inboxEntries(useKeptCards(waiting)).filter((entry) => isEntryShown(entry, search));
  const firstCard = rows.find(
    ({ section, item }) => section === 'cards' && waiting.some((one) => itemKey(one) === itemKey(item)),
  );
  const { dismiss } = useDismiss();
  const projectName = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  const agentName = (id: string | undefined) => agents.find((agent) => agent.id === id)?.name ?? id;
  useRowKeys(list, 'e', (focused) => {
    const entry = rows[focused];
    if (!entry || entry.section === 'cards') return false;
    dismiss(entry);
    return true;
  });
  return {
    search,
    isLoaded: items !== undefined,
    error,
    waiting: inboxEntries(waiting),
    rows,
    /** The question or approval with the nearest deadline. */
    firstCard,
    projectName,
    agentName,
    list,
  };
}
