import type { Message } from '@aizuchi/shared/contract/chat';
import { withFiles } from './with-files.ts';

/** What marks in a prompt who speaks. */
const TAG = /<(?=\/?(?:conversation|earlier|instructions|memory|note)\b)/gi;

/**
 * A message with the name of who wrote it, to stand among others in a prompt. Whoever wrote it cannot end its place there
 * and go on as somebody else.
 */
export function spoken(message: Pick<Message, 'senderName' | 'content' | 'attachments'>): string {
  return withoutMarks(`${message.senderName}: ${withFiles(message)}`);
}

export function withoutMarks(text: string): string {
  return text.replaceAll(TAG, '\u2039');
}
