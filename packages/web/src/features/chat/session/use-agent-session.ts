import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { agentSessionsQuery } from '../../../lib/queries/queries.ts';
import type { ChatOpening } from './use-open-chat.ts';

/** Polled this often while the agent is being started: the socket may miss a step that is over at once. */
const STARTING_POLL_MS = 1_000;

/** The state of the agent's session, kept current while it starts. */
export function useAgentSession(projectId: string, agentId: string): AgentSessionView | undefined {
  const { data } = useQuery({
    ...agentSessionsQuery(projectId),
    refetchInterval: ({ state }) => {
      const status = state.data?.[agentId]?.chatStatus;
      return status === 'queued' || status === 'starting' || status === 'ending' ? STARTING_POLL_MS : false;
    },
  });
  return data?.[agentId];
}

/**
 * True until a chat session is active (「準備中...」). False when nothing is being prepared: after a failed start, and
 * when the session of an agent that was ready has ended; sending a message starts a new one.
 */
export function useIsPreparing(session: AgentSessionView | undefined, opening: ChatOpening): boolean {
  const [wasReady, setWasReady] = useState(false);
  const isReady = (session?.chat ?? 0) > 0;
  useEffect(() => {
    if (isReady) setWasReady(true);
  }, [isReady]);
  if (isReady) return false;
  if (opening.state !== 'open') return true;
  const hasFailed = session?.chatStatus === 'failed' && session.reason !== 'sign_in_refused';
  const hasEnded = wasReady && (session?.chatStatus ?? 'none') === 'none';
  return !hasFailed && !hasEnded;
}
