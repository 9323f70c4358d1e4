import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { whenIdle } from '../when-idle.ts';

/**
 * A first read that runs while its query is invalidated is repeated after it, because its response may be older than
 * the change. TanStack Query would take that response for current. Other running reads it starts again itself. The first
 * one continues, so that there is something to see.
 */
export class PageQueryClient extends QueryClient {
  readonly #repeated = new WeakSet<Query>();

  override invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    for (const query of this.getQueryCache().findAll(filters)) {
      const isFirstRead = query.state.fetchStatus === 'fetching' && query.state.data === undefined;
      if (isFirstRead) this.#repeatAfter(query);
    }
    return super.invalidateQueries(filters, options);
  }

  #repeatAfter(query: Query): void {
    if (this.#repeated.has(query)) return;
    this.#repeated.add(query);
    const again = () => {
      this.#repeated.delete(query);
      void this.invalidateQueries({ queryKey: query.queryKey, exact: true });
    };
    // A failed read is not repeated: the page shows the error with a button to retry.
    void query.promise?.then(
      () => whenIdle(again),
      () => this.#repeated.delete(query),
    );
  }
}
