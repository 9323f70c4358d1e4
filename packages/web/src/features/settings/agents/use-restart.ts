import type { Project } from '@aizuchi/shared/contract/project';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { toast } from '../../../lib/toast.ts';

/** A fresh process and context in each of these projects; the messages stay. */
export function useRestart(agentId: string, running: readonly Pick<Project, 'id'>[]) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      Promise.all(running.map(({ id }) => callApi('newChat', { params: { pid: id, aid: agentId } }))),
    onSuccess: async () => {
      toast.success(t('settings.restarting'));
      await Promise.all(
        running.map(({ id }) => client.invalidateQueries({ queryKey: keys.agentSessions(id) })),
      );
    },
  });
}
