import { useMutation, useQueryClient } from '@tanstack/react-query';
import { callApi } from '../../lib/api/call-api.ts';
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
    onSuccess: () => client.invalidateQueries({ queryKey: keys.project(projectId) }),
  });
}
