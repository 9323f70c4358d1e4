import type { Message } from '@aizuchi/shared/contract/chat';
import { withFiles } from '../../with-files.ts';
import type { Entry } from './records.ts';

/** Who is there to be told apart. */
export interface Listener {
  readonly agentId: string;
  /** Several people write in the chat: their names stand before what they write. */
  readonly namesSenders: boolean;
}

/** Messages of others, as the model reads them. */
export function saidBy(messages: readonly Message[], { namesSenders }: Listener): string {
  const senders = new Set(messages.map(({ senderId, humanId }) => humanId ?? senderId));
  const isNamed = namesSenders || senders.size > 1;
  return messages.map((message) => textOf(message, isNamed)).join('\n\n');
}

/** Messages before those of the turn; what the system wrote is for people. */
export function entriesOf(messages: readonly Message[], listener: Listener): Entry[] {
  return messages
    .filter(({ sender }) => sender !== 'system')
    .map((message) =>
      message.senderId === listener.agentId
        ? { role: 'assistant', text: message.content }
        : { role: 'user', text: saidBy([message], listener) },
    );
}

function textOf(message: Message, isNamed: boolean): string {
  return `${isNamed ? `${message.senderName}: ` : ''}${withFiles(message)}`;
}
