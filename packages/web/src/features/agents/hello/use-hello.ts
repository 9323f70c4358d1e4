import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../../lib/api/call-api.ts';
import { helloBody } from '../../../lib/hello-message.ts';
import { useLiveProject, useProjectFrames } from '../../../lib/live/live.tsx';
import type { LiveFrame } from '../../../lib/live/wire.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { agentSessionsQuery } from '../../../lib/queries/queries.ts';
import { type Hello, type HelloEvent, heard, isOver, newHello } from './hello.ts';

/** Frames bring everything sooner; this is for what they may miss. */
const POLL_MS = 1_000;
const NEWEST = 20;

/** A test message to the agent in this project, and what is known about it. One at a time. */
export function useHello(projectId: string, agent: Agent) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [hello, setHello] = useState<Hello>();
  const isRunning = hello !== undefined && !isOver(hello);
  const hear = (event: HelloEvent) => setHello((state) => state && heard(state, event, Date.now()));
  const session = useWatched({
    projectId,
    agentId: agent.id,
    isRunning,
    sentId: hello?.sent?.id,
    hear,
  });
  const answerId = hello?.answer?.id;
  useEffect(() => {
    // What it cost is counted with the answer.
    if (answerId !== undefined) void client.invalidateQueries({ queryKey: keys.agentUsage(agent.id) });
  }, [client, agent.id, answerId]);
  const start = async () => {
    setHello(newHello(Date.now(), t('hello.word'), session));
    try {
      const params = { pid: projectId, aid: agent.id };
      await callApi('startChat', { params });
      hear({ type: 'sent', message: await callApi('postMessage', { params, body: helloBody(t) }) });
    } catch (error) {
      hear({ type: 'refused', error });
    }
    await client.invalidateQueries({ queryKey: keys.agentSessions(projectId) });
  };
  return { hello, session, isRunning, start };
}

interface Watched {
  readonly projectId: string;
  readonly agentId: string;
  readonly isRunning: boolean;
  /** The test message: what was read before it was known is looked at again. */
  readonly sentId: string | undefined;
  readonly hear: (event: HelloEvent) => void;
}

/** Session and messages of the agent in this project, while a test runs. */
function useWatched({ projectId, agentId, isRunning, sentId, hear }: Watched) {
  useLiveProject(projectId);
  const refetchInterval = isRunning ? POLL_MS : false;
  const { data: sessions } = useQuery({ ...agentSessionsQuery(projectId), refetchInterval });
  const { data: page, refetch } = useQuery({
    queryKey: [...keys.project(projectId), 'hello', agentId] as const,
    queryFn: ({ signal }) =>
      callApi('listMessages', { params: { pid: projectId, aid: agentId }, query: { limit: NEWEST }, signal }),
    enabled: isRunning,
    refetchInterval,
    staleTime: 0,
  });
  const session = sessions?.[agentId];
  const emit = useEffectEvent(hear);
  useEffect(() => {
    if (isRunning && session) emit({ type: 'session', session });
  }, [isRunning, session, sentId]);
  useEffect(() => {
    if (sentId === undefined) return;
    for (const message of page?.messages ?? []) emit({ type: 'message', message });
  }, [page, sentId]);
  const onFrame = (frame: LiveFrame) => {
    if (!('agentId' in frame) || frame.agentId !== agentId) return;
    if (frame.type === 'message') hear({ type: 'message', message: frame.message });
    else if (frame.type === 'message_delta') hear({ type: 'text' });
    else if (frame.type === 'session_changed') hear({ type: 'session', session: frame });
  };
  useProjectFrames(projectId, onFrame, () => void (isRunning && refetch()));
  return session;
}
