import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { backoffMs } from '../backoff.ts';

/** The socket tells what changed, so nothing is asked for again only because time went by or a window got focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 3 && error instanceof ApiError && error.isTransient,
      retryDelay: (attempt) => backoffMs(attempt, { firstMs: 300, longestMs: 5_000 }),
      // A server that is away on loopback is no reason to wait for the browser's "online".
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
