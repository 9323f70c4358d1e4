import { z } from 'zod';
import { instantSchema } from './ids.ts';

export const INBOX_KINDS = [
  'question',
  'approval',
  'failed_message',
  'failed_run',
  'review',
  'proposal',
  'blocked_task',
  'unread',
] as const;

/**
 * At most 200, which is also the default. The list has no further pages: entries that are done make room for
 * others.
 */
export const inboxQuerySchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(200),
});

/** Something that waits for the caller, in any of the caller's projects. */
export const inboxItemSchema = z.object({
  kind: z.enum(INBOX_KINDS),
  projectId: z.string(),
  agentId: z.string().optional(),
  /** The subject: a question's toolUseId, an approval, a message, a run, a task (of a proposal the one that it splits); for unread the agent. */
  refId: z.string(),
  createdAt: instantSchema,
  title: z.string(),
});
export type InboxItem = z.infer<typeof inboxItemSchema>;
export const inboxSchema = z.object({ items: z.array(inboxItemSchema) });
