import { createHash } from 'node:crypto';
import { z } from 'zod';
import { codePointLength } from '../../../contract/ids.ts';
import { storable } from '../../../contract/storable.ts';

/** A line of an older chat.jsonl. Its writers used `sender` or `senderId`; keys that nothing is known of are left out. */
const lineSchema = z
  .object({
    id: z.string().min(1).max(200),
    sender: z.enum(['user', 'agent', 'system']).optional(),
    senderId: z.string().min(1).max(200).optional(),
    humanId: z.string().max(200).nullish(),
    content: z
      .string()
      .min(1)
      .refine((text) => codePointLength(text) <= 100_000, 'at most 100000 characters'),
    createdAt: z.iso.datetime().refine((value) => !value.startsWith('0000'), 'before the year 1'),
    visible: z.boolean().default(true),
    conversationId: z.string().nullish(),
  })
  .refine(({ sender, senderId }) => sender !== undefined || senderId !== undefined, {
    path: ['sender'],
    message: 'sender or senderId must be there',
  });
export const chatLineSchema = storable(lineSchema);
export type ChatLine = z.output<typeof lineSchema>;

export interface OldMessage {
  readonly id: string;
  readonly sender: 'user' | 'agent' | 'system';
  readonly humanId: string | null;
  readonly content: string;
  readonly createdAt: Date;
  readonly visible: boolean;
}

/** What a line says in the chat of its agent; null: it was said between agents. */
export function oldMessage(line: ChatLine, agentId: string): OldMessage | null {
  const sender = line.sender ?? senderOf(line.senderId);
  const isOthers = sender === 'agent' && line.senderId !== undefined && line.senderId !== agentId;
  if (line.conversationId != null || isOthers) return null;
  const { id, humanId, content, createdAt, visible } = line;
  return { id, sender, humanId: humanId ?? null, content, createdAt: new Date(createdAt), visible };
}

function senderOf(senderId: string | undefined): OldMessage['sender'] {
  return senderId === 'user' || senderId === 'system' ? senderId : 'agent';
}

/** The id under which it is stored when its own is used elsewhere, or is none: always the same for the same line. */
export function idInThread(threadId: string, { id, sender, visible }: OldMessage): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([threadId, id]))
    .digest('hex');
  return `${sender === 'system' && visible ? 'sys' : 'msg'}_${hash.slice(0, 20)}`;
}

/** As ids of messages are. */
export function isMessageId(id: string): boolean {
  return /^(?:msg|sys)_[a-z0-9]{1,60}$/.test(id);
}
