import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

export const SHOWN_RUNS = 6;
/** Frames come of the project in which the agent is greeted; of the others the list is polled. */
const POLL_MS = 5_000;

/** The newest runs of an agent in one project. */
export const recentRunsQuery = (pid: string, agentId: string) =>
  queryOptions({
    queryKey: keys.runs(pid, 'recent', agentId),
    queryFn: ({ signal }) =>
      callApi('listRuns', { params: { pid }, query: { agentId, limit: SHOWN_RUNS }, signal }),
    refetchInterval: POLL_MS,
  });
