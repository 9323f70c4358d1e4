import { z } from 'zod';
import { messageFailureSchema } from './chat.ts';
import { idParamSchema, instantSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';
import { reasonSchema } from './reason.ts';

export const INBOX_KINDS = [
  'question',
  'approval',
  'failed_message',
  'failed_run',
  'review',
  'proposal',
  'blocked_task',
  'mention',
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
  /** The subject: a question's toolUseId, an approval, a message or comment, a run, a task (of a proposal the one that it splits); for unread the agent. */
  refId: z.string(),
  /** Of a mention in a comment: the task and its title. Such an item has no agent. */
  taskId: z.string().optional(),
  taskTitle: z.string().optional(),
  createdAt: instantSchema,
  title: z.string(),
  /** Of a question of the system: the title for each reader in its language. */
  reason: reasonSchema.optional(),
  /** Of a failed message: why it failed. */
  failure: messageFailureSchema.optional(),
  /** Of a blocked task: what its last attempt ended with, if that blocked it; `reason`: the summary for each reader. */
  attempt: z.object({ summary: z.string(), reason: reasonSchema.optional() }).optional(),
});
export type InboxItem = z.infer<typeof inboxItemSchema>;
export const inboxSchema = z.object({ items: z.array(inboxItemSchema) });

/** What a person may put away: a card is answered, unread messages are read. */
export const DISMISSIBLE_KINDS = [
  'failed_message',
  'failed_run',
  'blocked_task',
  'mention',
] as const satisfies readonly (typeof INBOX_KINDS)[number][];

/** Of one call. */
export const MAX_DISMISSED = 50;

const inboxRefSchema = z.strictObject({
  kind: z.enum(DISMISSIBLE_KINDS),
  projectId: idParamSchema,
  refId: idParamSchema,
});
export type InboxRef = z.infer<typeof inboxRefSchema>;
/** The database has no year 0. */
const timeSchema = instantSchema.refine((value) => !value.startsWith('0000'), 'before the year 1');
/** `createdAt`: as it was shown. What has happened since, while the person looked at it, is not put away with it. */
const seenRefSchema = inboxRefSchema.extend({ createdAt: timeSchema.optional() });
export type SeenRef = z.infer<typeof seenRefSchema>;

/** `until`: they come back then; without it they stay away until the same thing happens again. */
export const dismissInboxBodySchema = z.strictObject({
  items: z.array(seenRefSchema).min(1).max(MAX_DISMISSED),
  until: timeSchema.optional(),
});
export type DismissInboxBody = z.infer<typeof dismissInboxBodySchema>;
export const restoreInboxBodySchema = z.strictObject({
  items: z.array(inboxRefSchema).min(1).max(MAX_DISMISSED),
});
export type RestoreInboxBody = z.infer<typeof restoreInboxBodySchema>;

export const listPutAwayQuerySchema = pageQuerySchema;
/** Hidden from the caller's inbox: it would be there without what the caller did. */
export const putAwayItemSchema = inboxItemSchema.extend({
  kind: z.enum(DISMISSIBLE_KINDS),
  putAwayAt: instantSchema,
  /** It comes back then; without it, only when it happens again. */
  until: instantSchema.optional(),
});
export type PutAwayItem = z.infer<typeof putAwayItemSchema>;
export const putAwayPageSchema = z.object({
  items: z.array(putAwayItemSchema),
  nextCursor: nextCursorSchema,
});
