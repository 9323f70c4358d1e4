import { z } from 'zod';
import {
  CONVERSATION_END_REASONS,
  CONVERSATION_STATES,
} from '../core/conversations/rules/conversation-states.ts';
import { idParamSchema, instantSchema, limitSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';

/** A conversation between two agents, the same keys in REST and WebSocket. */
export const conversationSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  initiatorAgentId: z.string(),
  participantAgentId: z.string(),
  state: z.enum(CONVERSATION_STATES),
  purpose: z.string().nullable(),
  /** The task on which the initiator works; absent when it was opened from a chat. */
  taskId: z.string().optional(),
  messageCount: z.number().int(),
  maxMessages: z.number().int(),
  /**
   * Conversations that result from one another have the same chain; the limit of a chain counts the messages
   * of all of them.
   */
  chainId: z.string(),
  /** How much of the limit of the chain is used; both are absent when there is no limit. */
  chainMessageCount: z.number().int().optional(),
  chainMaxMessages: z.number().int().optional(),
  createdAt: instantSchema,
  endedAt: instantSchema.nullable(),
  /** The agent that ended it; null when neither of the two did. */
  endedBy: z.string().nullable(),
  endReason: z.enum(CONVERSATION_END_REASONS).nullable(),
  finalMessage: z.string().nullable(),
});
export type Conversation = z.infer<typeof conversationSchema>;

/** The limits of `max_messages`; the first message counts, the closing message does not. */
export const CONVERSATION_MESSAGES = { default: 20, min: 2, max: 40 } as const;

/**
 * At most, of the purpose: code points after trimming. The tool's schema is checked first, and counts a character beyond
 * the BMP (an emoji) twice.
 */
export const MAX_PURPOSE = 2_000;

const stateSchema = z.enum(CONVERSATION_STATES);
export const listConversationsQuerySchema = pageQuerySchema.extend({
  /** Those in which this agent has a side. */
  agentId: idParamSchema.optional(),
  /** Those that were opened in the work on this task. */
  taskId: idParamSchema.optional(),
  state: z.union([stateSchema.transform((state) => [state]), z.array(stateSchema).max(5)]).optional(),
});
export type ListConversationsQuery = z.infer<typeof listConversationsQuerySchema>;
export const conversationPageSchema = z.object({
  conversations: z.array(conversationSchema),
  nextCursor: nextCursorSchema,
});
export type ConversationPage = z.infer<typeof conversationPageSchema>;

export const listConversationMessagesQuerySchema = z
  .strictObject({ after: idParamSchema.optional(), before: idParamSchema.optional(), limit: limitSchema })
  .refine((query) => query.after === undefined || query.before === undefined, 'after or before, not both');
export type ListConversationMessagesQuery = z.infer<typeof listConversationMessagesQuerySchema>;
