import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { useShortcut } from '../../lib/hooks/use-shortcut.ts';
import { agentsQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { isShown } from './filters.ts';
import { isCard, itemKey, useInbox, useKeptCards } from './use-inbox.ts';

const route = getRouteApi('/signed-in/inbox');

/** The items that the address selects, names for their ids, and the keys J and K. */
export function useInboxPage() {
  const search = route.useSearch();
  const { items, error } = useInbox();
  const { data: projects = [] } = useQuery(projectsQuery());
  const { data: agents = [] } = useQuery(agentsQuery());
  const list = useRef<HTMLDivElement>(null);
  const waiting = items ?? [];
  const rows = useKeptCards(waiting).filter((item) => isShown(item, search));
  const firstCard = rows.find(
    (item) => isCard(item) && waiting.some((one) => itemKey(one) === itemKey(item)),
  );
  const projectName = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  const agentName = (id: string | undefined) => agents.find((agent) => agent.id === id)?.name ?? id;
  useShortcut('j', () => moveFocus(list.current, 1));
  useShortcut('k', () => moveFocus(list.current, -1));
  return {
    search,
    isLoaded: items !== undefined,
    error,
    waiting,
    rows,
    /** The question or approval that waits longest. */
    firstCard,
    projectName,
    agentName,
    list,
  };
}

/** J and K move the focus from row to row. */
function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(list?.children ?? [])].filter((row) => row instanceof HTMLElement);
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current < 0 ? (by > 0 ? 0 : rows.length - 1) : current + by;
  rows[next]?.focus();
}
