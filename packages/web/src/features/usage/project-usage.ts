import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

export const RANGES = [7, 30, 90] as const;
export type RangeDays = (typeof RANGES)[number];

/** No frame says that something was used. */
const POLL_MS = 10_000;
const DAY_MS = 86_400_000;

/** An instant stands for the day of the server that holds it. */
export const projectUsageQuery = (pid: string, by: 'day' | 'agent' | 'model', days: RangeDays) =>
  queryOptions({
    queryKey: [...keys.usage(pid), by, days] as const,
    queryFn: ({ signal }) =>
      callApi('projectUsage', {
        params: { pid },
        query: { by, from: new Date(Date.now() - (days - 1) * DAY_MS).toISOString() },
        signal,
      }),
    refetchInterval: POLL_MS,
  });
