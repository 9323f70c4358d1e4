import { inboxEntries } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { useShortcut } from '../../lib/hooks/use-shortcut.ts';
import { agentsQuery, projectsQuery } from '../../lib/queries/queries.ts';
import { isEntryShown } from './filters.ts';
import { useDismiss } from './use-dismiss.ts';
import { itemKey, useInbox, useKeptCards } from './use-inbox.ts';

const route = getRouteApi('/signed-in/inbox');

/** The rows that the address selects, names for their ids, and the keys J, K and E. */
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
  useShortcut('j', () => moveFocus(list.current, 1));
  useShortcut('k', () => moveFocus(list.current, -1));
  useShortcut('e', () => {
    const focused = rowsOf(list.current).findIndex((row) => row.contains(document.activeElement));
    const entry = rows[focused];
    if (!entry || entry.section === 'cards') return;
    // Its row goes: the next one takes the focus.
    moveFocus(list.current, rows[focused + 1] ? 1 : -1);
    dismiss(entry);
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

/** J and K move the focus from row to row. */
function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const rows = rowsOf(list);
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current < 0 ? (by > 0 ? 0 : rows.length - 1) : current + by;
  rows[next]?.focus();
}

function rowsOf(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('article') ?? [])];
}
