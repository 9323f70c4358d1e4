import { programKey } from '@aizuchi/shared/core/agents/rules/program-key';
import { PROVIDERS } from '@aizuchi/shared/core/agents/rules/providers';
import { queryOptions } from '@tanstack/react-query';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { type AgentDraft, commandOf } from './agent-draft.ts';

/** What is known of the models of this provider and program. A start of an agent may change it at any time. */
export function knownModelsQuery(draft: AgentDraft, agentId: string | undefined) {
  const { provider } = draft;
  const program = PROVIDERS[provider].takesCommand ? programKey(commandOf(draft)) : '';
  const query = { provider, program, ...(agentId !== undefined && { agentId }) };
  return queryOptions({
    queryKey: [...keys.knownModels, query] as const,
    queryFn: ({ signal }) => callApi('knownModels', { query, signal }),
  });
}
