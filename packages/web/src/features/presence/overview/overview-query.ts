import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';

/** The socket reports most changes; polling finds what agents do in projects that the page does not follow. */
const POLL_MS = 30_000;

/** All projects of the person and what the agents in them do: one request. */
export const overviewQuery = () =>
  queryOptions({
    queryKey: keys.overview,
    queryFn: ({ signal }) => callApi('overview', { signal }),
    refetchInterval: POLL_MS,
  });
