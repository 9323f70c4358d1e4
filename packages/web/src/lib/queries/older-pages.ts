/** A chat reads so many pages of a list by itself, and as many more each time a person asks. */
export const MAX_PAGES = 4;

/** What is read of a list, newest first. */
export interface ReadPages {
  readonly count: number;
  /** The time of the oldest item; undefined: there is none. */
  readonly oldest: string | undefined;
  readonly hasMore: boolean;
}

/**
 * Whether the list goes as far back as the loaded messages. read: another page is to be read; cut: it is, but only when
 * a person asks. `since`: when the oldest loaded message was created; undefined when the whole chat is loaded.
 */
export function olderPages(
  { count, oldest, hasMore }: ReadPages,
  since: string | undefined,
  maxPages: number,
): 'none' | 'read' | 'cut' {
  if (!hasMore || oldest === undefined || (since !== undefined && oldest <= since)) return 'none';
  return count < maxPages ? 'read' : 'cut';
}

/** A list of a chat that does not go as far back as its messages. */
export interface Cut {
  /** What is older than this is not shown. */
  readonly at: string;
  readonly showMore: () => void;
}

/** One for several lists: from its time on all of them are complete. */
export function joinCuts(cuts: readonly (Cut | undefined)[]): Cut | undefined {
  const real = cuts.filter((cut) => cut !== undefined);
  const at = real
    .map((cut) => cut.at)
    .sort()
    .at(-1);
  if (at === undefined) return undefined;
  return {
    at,
    showMore: () => {
      for (const cut of real) cut.showMore();
    },
  };
}
