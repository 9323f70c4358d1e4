import type { Agent, UpdateAgentBody } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { toast } from '../../../lib/toast.ts';
import { agentQuery } from '../../settings/agents/agent-queries.ts';

/** Changes an agent; only what is named. */
export function useSaveAgent(agent: Agent) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateAgentBody) => callApi('updateAgent', { params: { aid: agent.id }, body }),
    onSuccess: (changed) => {
      client.setQueryData(agentQuery(agent.id).queryKey, changed);
      toast.success(t('common.saved'));
      // Not waited for: a form that is busy until every list was read takes no second change meanwhile.
      void client.invalidateQueries({ queryKey: keys.agents });
    },
  });
}
