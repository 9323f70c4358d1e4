import type { Message } from '@aizuchi/shared/contract/chat';

/** What a message says, and which files stand with it: a model reads them with a tool. */
export function withFiles({ content, attachments = [] }: Pick<Message, 'content' | 'attachments'>): string {
  const lines = attachments.map(
    ({ id, name, mediaType, size }) =>
      `[attached: ${name}, ${mediaType}, ${size} bytes, get_attachment id ${id}]`,
  );
  return [content, ...lines].join('\n');
}
