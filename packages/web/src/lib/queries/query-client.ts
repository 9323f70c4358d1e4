import { ApiError } from '../api/api-error.ts';
import { backoffMs } from '../backoff.ts';
import { PageQueryClient } from './page-query-client.ts';

/** A read that the server could not serve is asked again so often while somebody looks, also where no frame tells of a change. */
export const FAILED_POLL_MS = 10_000;

/** A fault of a moment must not leave a part of the page empty until it is loaded anew. */
export function failedPollMs({ error }: { readonly error: unknown }): number | false {
  return error instanceof ApiError && error.isTransient && FAILED_POLL_MS;
}

/** The socket reports changes, so queries are not refetched only because time passed or the window got the focus. */
export const queryClient = new PageQueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && error instanceof ApiError && error.isTransient,
      retryDelay: (attempt) => backoffMs(attempt, { firstMs: 300, longestMs: 5_000 }),
      refetchInterval: ({ state }) => failedPollMs(state),
      // The server may be on loopback, where the browser's "online" says nothing about it.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
