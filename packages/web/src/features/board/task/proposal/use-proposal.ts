import type { Agent } from '@aizuchi/shared/contract/agent';
import type { DecideProposalBody, Proposal } from '@aizuchi/shared/contract/proposal';
import type { Task } from '@aizuchi/shared/contract/task';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../../lib/api/call-api.ts';
import { newId } from '../../../../lib/new-id.ts';
import { keys } from '../../../../lib/queries/keys.ts';

/** A frame about the task reads it again. */
const proposalsQuery = (pid: string, tid: string) =>
  queryOptions({
    queryKey: keys.task(pid, tid, 'proposals'),
    queryFn: async ({ signal }) =>
      (await callApi('listTaskProposals', { params: { tid }, signal })).proposals,
  });

/** The one that waits for a person. */
export function useOpenProposal(projectId: string, taskId: string): Proposal | undefined {
  const { data } = useQuery(proposalsQuery(projectId, taskId));
  return data?.find(({ state }) => state === 'open');
}

export function useDecideProposal({ id, projectId, taskId }: Proposal) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: DecideProposalBody) =>
      callApi('decideTaskProposal', { params: { proposalId: id }, body }),
    onSettled: () =>
      Promise.all(
        [keys.task(projectId, taskId, 'proposals'), keys.tasks(projectId), keys.inbox].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

/** Asks an agent in its chat to split the task. */
export function useAskToSplit({ id, projectId, title }: Task, agent: Agent) {
  const { t } = useTranslation();
  /** Pressed again after a lost response it is the same message. */
  const [message] = useState(() => ({
    content: t('task.split.say', { title, id }),
    relatedTaskId: id,
    clientMessageId: newId(),
  }));
  return useMutation({
    mutationFn: () => callApi('postMessage', { params: { pid: projectId, aid: agent.id }, body: message }),
  });
}
