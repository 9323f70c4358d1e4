import type { Agent } from '@aizuchi/shared/contract/agent';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { useErrorText } from '../../../lib/error-text.ts';
import { helloBody } from '../../../lib/hello-message.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { toast } from '../../../lib/toast.ts';
import { type AgentDraft, createBodyOf, updateBodyOf } from './agent-draft.ts';

export interface AgentToAdd {
  readonly draft: AgentDraft;
  /** Empty: one is made. */
  readonly id: string;
  readonly projectId: string | undefined;
  readonly saysHello: boolean;
}

/**
 * Creates an agent, adds it to the project and greets it. An agent that could not join is not created again by the next
 * attempt, but changed to what the form has then.
 */
export function useAddAgent() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const errorText = useErrorText();
  const [made, setMade] = useState<Agent>();
  const add = useMutation({
    mutationFn: async ({ draft, id, projectId, saysHello }: AgentToAdd) => {
      const agent = made
        ? await callApi('updateAgent', { params: { aid: made.id }, body: updateBodyOf(draft) })
        : await callApi('createAgent', { body: createBodyOf(draft, id) });
      setMade(agent);
      const aid = agent.id;
      await client.invalidateQueries({ queryKey: keys.agents });
      if (projectId === undefined) return { aid, projectId };
      await callApi('addMember', { params: { pid: projectId, aid } });
      await client.invalidateQueries({ queryKey: keys.members(projectId) });
      // Its chat opens all the same, and there it can be said again.
      if (saysHello)
        await callApi('postMessage', { params: { pid: projectId, aid }, body: helloBody(t) }).catch(
          (error: unknown) => toast.error(errorText(error)),
        );
      return { aid, projectId };
    },
  });
  return { ...add, isMade: made !== undefined };
}
