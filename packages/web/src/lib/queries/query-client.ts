import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { backoffMs } from '../backoff.ts';

/** The socket reports changes, so queries are not refetched only because time passed or the window got the focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && error instanceof ApiError && error.isTransient,
      retryDelay: (attempt) => backoffMs(attempt, { firstMs: 300, longestMs: 5_000 }),
      // The server may be on loopback, where the browser's "online" says nothing about it.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
