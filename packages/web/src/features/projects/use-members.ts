import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
import { patchQuery } from '../../lib/live/patch-query.ts';
import { keys } from '../../lib/queries/keys.ts';

export function useAddMember(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (aid: string) => callApi('addMember', { params: { pid: projectId, aid } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.members(projectId) }),
  });
}

export function useRemoveMember(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (aid: string) => callApi('removeMember', { params: { pid: projectId, aid } }),
    onSuccess: (_none, aid) => {
      patchQuery<readonly Agent[]>(client, keys.members(projectId), (members) =>
        members.filter(({ id }) => id !== aid),
      );
      // Not waited for: the question is answered before all of the project was read again.
      void client.invalidateQueries({ queryKey: keys.project(projectId) });
    },
  });
}
