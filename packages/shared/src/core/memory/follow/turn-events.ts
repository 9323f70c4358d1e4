import type { NewEvent } from '../memory-store.ts';
import { messageRef } from '../rules/message-ref.ts';
import type { AnsweredTurn } from './follower-queries.ts';

/** An event and the agent in whose memory it belongs. */
export interface TurnEvent extends NewEvent {
  readonly agentId: string;
}

/**
 * The events of a turn, which its first message names: the same turn makes the same events. An event of a chat has the
 * time of the answer, because it says what was answered: a look at an earlier instant must not find it.
 */
export function eventsOf(turn: AnsweredTurn): TurnEvent[] {
  const { projectId, threadId, agentId, otherId, said } = turn;
  const common = {
    projectId,
    threadId,
    sourceRef: messageRef(turn.id),
    assistantState: 'complete',
    createdAt: turn.at,
  } as const;
  const heard: TurnEvent = {
    ...common,
    agentId,
    clientId: clientOf(projectId, agentId, otherId),
    source: turn.kind === 'chat' ? 'chat' : 'agent_conversation',
    actor: turn.otherName ?? undefined,
    userText: said,
    assistantText: turn.answer ?? undefined,
  };
  if (turn.kind === 'chat') return [heard];
  return [
    heard,
    {
      ...common,
      agentId: otherId,
      clientId: clientOf(projectId, otherId, agentId),
      source: 'agent_conversation',
      actor: turn.agentName,
      assistantText: said,
    },
  ];
}

function clientOf(projectId: string, agentId: string, otherId: string): string {
  return `pm:${projectId}:${agentId}:${otherId}`;
}
