import type { Run } from '@aizuchi/shared/contract/run';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

const PAGE = 50;

/** The runs of a project, newest first, page by page; with `agentId` those of one agent. */
export const runsQuery = (pid: string, agentId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: agentId === undefined ? keys.runs(pid, 'list') : keys.runs(pid, 'list', agentId),
    queryFn: ({ pageParam, signal }) =>
      callApi('listRuns', {
        params: { pid },
        query: {
          limit: PAGE,
          ...(agentId !== undefined && { agentId }),
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** The run that the address names: it may be on none of the loaded pages. */
export const runQuery = (pid: string, rid: string) =>
  queryOptions({
    queryKey: keys.runs(pid, 'one', rid),
    queryFn: ({ signal }) => callApi('getRun', { params: { rid }, signal }),
  });

export function useStopRun({ id, projectId }: Pick<Run, 'id' | 'projectId'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => callApi('stopRun', { params: { rid: id } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.runs(projectId) }),
  });
}
