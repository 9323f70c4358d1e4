import type { Task } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { meQuery } from '../../../lib/queries/queries.ts';
import { useNow } from '../../../lib/time.ts';
import type { BoardView } from './board-search.ts';
import { countFilters, dayHere, filterTasks, type TaskFilter } from './filter-tasks.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

const HOUR_MS = 3_600_000;

/** What of the tasks is shown, and how. Both stand in the address. */
export function useTaskFilter(tasks: readonly Task[] | undefined) {
  const { who, label, find, due, view } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: me } = useQuery(meQuery());
  const today = dayHere(useNow(HOUR_MS));
  const [isOpen, setIsOpen] = useState(false);
  const filter: TaskFilter = useMemo(
    () => ({
      ...(who !== undefined && { who }),
      ...(label !== undefined && { label }),
      ...(find !== undefined && { find }),
      ...(due !== undefined && { due }),
    }),
    [who, label, find, due],
  );
  // Typing must not wait for a thousand cards.
  const shown = useDeferredValue(filter);
  const count = countFilters(filter);
  return {
    filter,
    view,
    count,
    me: me?.id,
    today,
    isBarShown: isOpen || count > 0 || view !== undefined,
    toggleBar: () => setIsOpen(!isOpen),
    filtered: useMemo(
      () => tasks && filterTasks(tasks, shown, { me: me?.id, today }),
      [tasks, shown, me?.id, today],
    ),
    change: (next: TaskFilter) => {
      // Also when it was open only because the address had a filter.
      setIsOpen(true);
      void navigate({
        to: '.',
        // Each letter of a search is no step back.
        replace: true,
        search: ({ who: _who, label: _label, find: _find, due: _due, ...search }) => ({ ...search, ...next }),
      });
    },
    setView: (next: BoardView | undefined) =>
      void navigate({
        to: '.',
        search: ({ view: _view, ...search }) => ({ ...search, ...(next !== undefined && { view: next }) }),
      }),
  };
}

export type TaskFilterState = ReturnType<typeof useTaskFilter>;
