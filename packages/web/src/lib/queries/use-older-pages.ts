import { useCallback, useEffect, useState } from 'react';
import { type Cut, MOST_PAGES, olderPages, type ReadPages } from './older-pages.ts';

interface PagedList {
  readonly read: ReadPages;
  readonly isFetching: boolean;
  readonly isError: boolean;
  readonly fetchNextPage: () => unknown;
}

/** Reads the pages of a list as far back as the loaded messages, within a limit; undefined: it goes that far. */
export function useOlderPages(
  { read, isFetching, isError, fetchNextPage }: PagedList,
  since: string | undefined,
): Cut | undefined {
  const [mostPages, setMostPages] = useState(MOST_PAGES);
  const older = olderPages(read, since, mostPages);
  useEffect(() => {
    if (older === 'read' && !isFetching && !isError) void fetchNextPage();
  }, [older, isFetching, isError, fetchNextPage]);
  const showMore = useCallback(() => setMostPages((most) => most + MOST_PAGES), []);
  return older === 'cut' && read.oldest !== undefined ? { at: read.oldest, showMore } : undefined;
}
