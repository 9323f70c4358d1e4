import type { Message } from '@aizuchi/shared/contract/chat';
import type { Line } from './chat-game.ts';
import { wishOf } from './invite.ts';

/** What was said in a thread, as a game sees it. */
export function linesOf(messages: readonly Message[], agentId: string): Line[] {
  return messages
    .filter((message) => message.sender !== 'system' && message.visible)
    .map((message) => ({
      id: message.id,
      mine: message.senderId === agentId,
      text: message.content,
      wish: wishOf(message.content),
    }));
}
