import type { Run } from '@aizuchi/shared/contract/run';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';

/** The newest processes that have not exited; a frame about a run reads them again. */
const liveRunsQuery = (pid: string) =>
  queryOptions({
    queryKey: keys.runs(pid, 'live'),
    queryFn: ({ signal }) =>
      callApi('listRuns', {
        params: { pid },
        query: { state: ['starting', 'running', 'stopping'], limit: 200 },
        signal,
      }),
    select: ({ runs }) => runs,
  });

export interface LiveRuns {
  /** The process that works on a task, by the id of the task. */
  readonly byTask: ReadonlyMap<string, Run>;
}

export function useLiveRuns(projectId: string): LiveRuns {
  const { data } = useQuery(liveRunsQuery(projectId));
  return useMemo(
    () => ({
      byTask: new Map((data ?? []).flatMap((run) => (run.taskId === undefined ? [] : [[run.taskId, run]]))),
    }),
    [data],
  );
}
