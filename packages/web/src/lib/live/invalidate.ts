import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import { whenIdle } from '../when-idle.ts';

const repeatedAfterFirstRead = new WeakSet<Query>();

/**
 * Invalidates queries whose data may have changed. A running read starts again, because its response may be older than
 * the change. Only a first read continues, so that there is something to see, and is repeated after it.
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
    // A failed read is not repeated: the page shows the error with a button to retry.
    void query.promise?.then(
      () => whenIdle(again),
      () => repeatedAfterFirstRead.delete(query),
    );
  }
  void client.invalidateQueries(filters);
}
