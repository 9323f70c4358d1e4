import type { Message } from '@aizuchi/shared/contract/chat';

/**
 * The failed messages to which this message of the system belongs: all since the one before it. Those of turns that failed
 * belong to the newest line of that kind, because a message that is sent again may fail again.
 */
export function failedBefore(messages: readonly Message[], system: Message): readonly string[] {
  const at = messages.indexOf(system);
  if (isOfTurn(system) && messages.slice(at + 1).some(isOfTurn)) return [];
  const before = messages.slice(0, at);
  const border = before.findLastIndex((message) => message.sender === 'system' && !isOfTurn(message));
  return before
    .slice(border + 1)
    .filter(({ sender, state }) => sender === 'user' && state === 'failed')
    .map(({ id }) => id);
}

function isOfTurn({ system }: Message): boolean {
  return system?.code === 'turn_failed';
}
