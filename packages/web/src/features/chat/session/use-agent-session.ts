import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { STARTS_WITH_MESSAGE } from '@aizuchi/shared/core/chat/rules/chat-status';
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

/** The agent does not run, and the open chat does not start it: a message does. */
export function startsWithMessage(session: AgentSessionView | undefined): boolean {
  return session?.chatStatus === 'none' && session.reason === STARTS_WITH_MESSAGE;
}

/**
 * True until a chat session is active (「準備中...」). False when nothing is being prepared: after a failed start, when
 * the session of an agent that was ready has ended, and for an agent that starts with a message; sending one starts it.
 */
export function useIsPreparing(session: AgentSessionView | undefined, opening: ChatOpening): boolean {
  const [wasReady, setWasReady] = useState(false);
  const isReady = (session?.chat ?? 0) > 0;
  useEffect(() => {
    if (isReady) setWasReady(true);
  }, [isReady]);
  if (isReady || startsWithMessage(session)) return false;
  if (opening.state !== 'open') return true;
  const hasFailed = session?.chatStatus === 'failed' && session.reason !== 'sign_in_refused';
  const hasEnded = wasReady && (session?.chatStatus ?? 'none') === 'none';
  return !hasFailed && !hasEnded;
}
