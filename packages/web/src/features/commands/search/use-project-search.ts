import type { ProjectSearch, SearchItem } from '@aizuchi/shared/contract/search';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { tasksQuery } from '../../../lib/queries/queries.ts';
import { searchAgainMs } from '../../../lib/queries/search-again.ts';

export interface FoundInProject {
  /** Only ever of the words that stand in the field now. */
  readonly found: ProjectSearch | undefined;
  /** At once: the tasks whose title or id contains the words, and then everything that was found. */
  readonly items: readonly SearchItem[];
  readonly counts: ProjectSearch['counts'];
  readonly isSearching: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

const PAUSE_MS = 180;
const MAX_ITEMS = 100;
const NONE = { memory: 0, task: 0, chat: 0, conversation: 0 };

/** `query` is trimmed; empty: nothing is searched. */
export function useProjectSearch(projectId: string | undefined, query: string): FoundInProject {
  const settled = useSettled(query);
  const isOn = projectId !== undefined && query !== '';
  const isCurrent = settled === query;
  const pid = projectId ?? '';
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.search(pid, settled),
    queryFn: ({ signal }) =>
      callApi('searchProject', { params: { pid }, body: { query: settled, limit: MAX_ITEMS }, signal }),
    enabled: isOn && isCurrent,
    staleTime: 5_000,
    gcTime: 60_000,
    refetchInterval: ({ state: { data, dataUpdateCount } }) => searchAgainMs(data, dataUpdateCount),
  });
  const local = useTasksByTitle(projectId, query);
  const found = isOn && isCurrent ? data : undefined;
  const ids = new Set(found?.items.map(({ id }) => id));
  const more = local.filter(({ id }) => !ids.has(id));
  const counts = found?.counts ?? NONE;
  return {
    found,
    items: [...(found?.items ?? []), ...more],
    counts: { ...counts, task: counts.task + more.length },
    isSearching: isOn && (!isCurrent || isPending),
    // What was found stays, and says that it may not be all.
    error: isOn && isCurrent && !data ? error : null,
    retry: () => void refetch(),
  };
}

/** The value after a pause in its changes. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** A board may have a thousand tasks; with more results than this a person types more. */
const MAX_BY_TITLE = 8;

/** Also by a part of a word, while a person is still writing it. */
function useTasksByTitle(projectId: string | undefined, query: string): SearchItem[] {
  const { data: tasks = [] } = useQuery({ ...tasksQuery(projectId ?? ''), enabled: projectId !== undefined });
  if (projectId === undefined || query === '') return [];
  const words = query.toLowerCase();
  return tasks
    .filter(({ id, title }) => title.toLowerCase().includes(words) || id.includes(words))
    .slice(0, MAX_BY_TITLE)
    .map(({ id, title, description, status, updatedAt }) => {
      const start = title.toLowerCase().indexOf(words);
      return {
        kind: 'task',
        id,
        title,
        titleMarks: start < 0 ? [] : [{ start, end: start + words.length }],
        text: description,
        marks: [],
        status,
        createdAt: updatedAt,
        score: 0,
        hitSources: [],
      };
    });
}
