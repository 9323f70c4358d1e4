import type { QueryClient, QueryKey } from '@tanstack/react-query';

/** Changes cached data. A running read starts again, because its response may be older than the change. */
export function patchQuery<T>(client: QueryClient, queryKey: QueryKey, change: (data: T) => T): void {
  client.setQueryData<T>(queryKey, (data) => (data === undefined ? data : change(data)));
  if (client.isFetching({ queryKey, exact: true }) > 0)
    void client.invalidateQueries({ queryKey, exact: true });
}
