import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import { whenIdle } from '../when-idle.ts';

const repeatedAfterFirstRead = new WeakSet<Query>();

/**
 * Asks again for what may have changed. A read that is under way starts again, for it may have been answered before
 * the change; only a first one goes on, so that there is something to see, and is repeated after it.
 */
export function invalidate(client: QueryClient, filters: QueryFilters): void {
  for (const query of client.getQueryCache().findAll(filters)) {
    const isFirstRead = query.state.fetchStatus === 'fetching' && query.state.data === undefined;
    if (!isFirstRead || repeatedAfterFirstRead.has(query)) continue;
    repeatedAfterFirstRead.add(query);
    const again = () => {
      repeatedAfterFirstRead.delete(query);
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    };
    // A failed one is shown, and asked for by whoever sees it.
    void query.promise?.then(
      () => whenIdle(again),
      () => repeatedAfterFirstRead.delete(query),
    );
  }
  void client.invalidateQueries(filters);
}
