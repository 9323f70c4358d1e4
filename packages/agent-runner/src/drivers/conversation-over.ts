import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { ConversationOver } from '../driver.ts';
import { spoken } from './spoken.ts';

/** What the model is told of a conversation with another agent that ended without an act of its own. */
export function overNote({ id, reason, unread }: ConversationOver, { purpose }: Conversation): string {
  const about = purpose ? ` about "${purpose}"` : '';
  const how =
    reason === 'expired'
      ? 'never began: the other agent did not come.'
      : `has ended (${reason}). Nothing more can be written into it.`;
  const last = unread.map(spoken);
  return [
    `The conversation ${id}${about} ${how}`,
    ...(last.length > 0 ? ['Its last messages:', ...last] : []),
  ].join('\n');
}

/** Added for the agent that began it: whoever asked for it waits for the outcome. */
export const ASK_FOR_REPORT =
  'Write now, in a few sentences and in their language, what came of it for the person in your chat. Your text is sent to the chat.';

/** Added for the next message when that report did not come about. */
export const NOT_REPORTED =
  'The person in your chat has not been told of it yet: say in your answer what came of it.';
