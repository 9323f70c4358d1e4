import { z } from 'zod';
import { idParamSchema, instantSchema } from './ids.ts';

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

/** What a person may put away: a card is answered, unread messages are read. */
export const DISMISSIBLE_KINDS = [
  'failed_message',
  'failed_run',
  'blocked_task',
] as const satisfies readonly (typeof INBOX_KINDS)[number][];

const inboxRefSchema = z.strictObject({
  kind: z.enum(DISMISSIBLE_KINDS),
  projectId: idParamSchema,
  refId: idParamSchema,
});
export type InboxRef = z.infer<typeof inboxRefSchema>;
const refsSchema = z.array(inboxRefSchema).min(1).max(50);

/** `until`: they come back then; without it they stay away until the same thing happens again. */
export const dismissInboxBodySchema = z.strictObject({ items: refsSchema, until: instantSchema.optional() });
export type DismissInboxBody = z.infer<typeof dismissInboxBodySchema>;
export const restoreInboxBodySchema = z.strictObject({ items: refsSchema });
export type RestoreInboxBody = z.infer<typeof restoreInboxBodySchema>;
