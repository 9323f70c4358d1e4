import type { WorktreeDecision } from '@aizuchi/shared/core/worktrees/rules/worktree-machine';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { keys } from '../../lib/queries/keys.ts';

/** What one run changed. A frame about the run reads it again. */
export const changesQuery = (pid: string, rid: string) =>
  queryOptions({
    queryKey: keys.runs(pid, 'changes', rid),
    queryFn: ({ signal }) => callApi('getRunChanges', { params: { rid }, signal }),
  });

/** The newest runs of an agent whose changes wait for a decision. */
export const undecidedRunsQuery = (pid: string, agentId: string) =>
  queryOptions({
    queryKey: keys.runs(pid, 'undecided', agentId),
    queryFn: ({ signal }) =>
      callApi('listRuns', { params: { pid }, query: { agentId, changes: 'undecided', limit: 20 }, signal }),
    select: ({ runs }) => runs,
  });

export function useDecideChanges(projectId: string, runId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (decision: WorktreeDecision) =>
      callApi('decideRunChanges', { params: { rid: runId }, body: { decision } }),
    onSuccess: (changes) => client.setQueryData(changesQuery(projectId, runId).queryKey, changes),
    // A conflict is part of the changes, which are read again.
    onSettled: () => void client.invalidateQueries({ queryKey: keys.runs(projectId) }),
  });
}
