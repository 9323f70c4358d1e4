import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Card, chatCards, readPagesOf } from '../live/card-pages.ts';
import type { Cut } from './older-pages.ts';
import type { cardsQuery } from './queries.ts';
import { useOlderPages } from './use-older-pages.ts';

export interface ChatCards<C extends Card> {
  readonly cards: readonly C[];
  /** Older ones are not shown yet. */
  readonly cut: Cut | undefined;
}

/**
 * The cards of one chat, oldest first, as far back as its messages are loaded, within the limit of pages; earlier cards
 * appear together with the earlier messages. `since`: when the oldest loaded message was created; undefined when the
 * whole chat is loaded.
 */
export function useChatCards<C extends Card>(
  query: ReturnType<typeof cardsQuery<C>>,
  since: string | undefined,
): ChatCards<C> {
  const { data, isFetching, isError, fetchNextPage } = useInfiniteQuery(query);
  const cut = useOlderPages({ read: readPagesOf(data), isFetching, isError, fetchNextPage }, since);
  const cards = useMemo(() => chatCards(data, since), [data, since]);
  return { cards, cut };
}
