import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../lib/api/call-api.ts';
import { newId } from '../../lib/new-id.ts';
import { membersQuery } from '../../lib/queries/queries.ts';

/**
 * Only an agent can begin a conversation, a person cannot: the request is posted as a message to the first agent, in
 * words that every kind of agent understands, and that agent's chat is opened.
 */
export function useStartRequest(projectId: string, onDone: () => void) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const agents = members.filter(({ type }) => type === 'ai');
  const [initiatorId, setInitiatorId] = useState<string>();
  const [participantId, setParticipantId] = useState<string>();
  const [topic, setTopic] = useState('');
  const initiator = agents.find(({ id }) => id === initiatorId) ?? agents[0];
  const others = agents.filter(({ id }) => id !== initiator?.id);
  const participant = others.find(({ id }) => id === participantId) ?? others[0];
  const request = useMutation({
    mutationFn: async () => {
      if (!initiator || !participant) return;
      const { name, id } = participant;
      const content = t('conversations.request', { name, id, about: topic.trim() });
      const params = { pid: projectId, aid: initiator.id };
      await callApi('postMessage', { params, body: { content, clientMessageId: newId() } });
      onDone();
      await navigate({ to: '.', search: (search) => ({ ...search, agent: initiator.id }) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!request.isPending && topic.trim() !== '') request.mutate();
  };
  return {
    agents,
    initiator,
    setInitiatorId,
    others,
    participant,
    setParticipantId,
    topic,
    setTopic,
    request,
    submit,
  };
}
