import { useCallback, useEffect, useState } from 'react';
import { type Cut, MAX_PAGES, olderPages, type ReadPages } from './older-pages.ts';

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
  const [maxPages, setMaxPages] = useState(MAX_PAGES);
  const older = olderPages(read, since, maxPages);
  useEffect(() => {
    if (older === 'read' && !isFetching && !isError) void fetchNextPage();
  }, [older, isFetching, isError, fetchNextPage]);
  const showMore = useCallback(() => setMaxPages((most) => most + MAX_PAGES), []);
  return older === 'cut' && read.oldest !== undefined ? { at: read.oldest, showMore } : undefined;
}
