import type { AgentSessionView, ChatStatus } from '../../../contract/chat.ts';

/** What an agent does, over its chat and its tasks: a card that a person can answer comes first. */
export function overviewState(
  { chatStatus, task }: Pick<AgentSessionView, 'chatStatus' | 'task'>,
  asks: boolean,
): ChatStatus {
  if (asks) return 'waiting_for_person';
  const hasMoreToSay = chatStatus === 'failed' || chatStatus === 'waiting_for_person';
  return task > 0 && !hasMoreToSay ? 'busy' : chatStatus;
}
