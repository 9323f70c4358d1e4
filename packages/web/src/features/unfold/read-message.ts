import type { Message } from '@aizuchi/shared/contract/chat';

interface OneMessageQuery {
  readonly after?: string;
  readonly before?: string;
  readonly limit: 1;
}

export type ReadOneMessage = (query: OneMessageQuery) => Promise<{ readonly messages: readonly Message[] }>;

/** No route gives one message of a chat: it is the one before its next one, or the newest. Null: there is none. */
export async function readMessage(read: ReadOneMessage, id: string): Promise<Message | null> {
  const [next] = (await read({ after: id, limit: 1 })).messages;
  const [message] = (await read({ ...(next && { before: next.id }), limit: 1 })).messages;
  return message?.id === id ? message : null;
}

const SIGNS = /^[\s#>*+-]+/;
const MAX_LENGTH = 200;

/** The first line that says something, without the signs of Markdown before it. */
export function firstLineOf(content: string): string {
  const lines = content.split('\n').map((line) => line.replace(SIGNS, '').trim());
  const line = lines.find((one) => one !== '' && !/^(```|~~~)/.test(one)) ?? '';
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH).toWellFormed()}…` : line;
}
