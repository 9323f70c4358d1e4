import { z } from 'zod';
import { messageSchema } from '../chat.ts';
import { CONVERSATION_MESSAGES, conversationSchema, MAX_PURPOSE } from '../conversation.ts';
import { idArgument, idempotencyKey, sessionArguments, targetArguments } from './common.ts';

/** The service checks the limits in code points after trimming: the schema only limits the body. */
const text = z.string().max(400_000);

const conversationId = idArgument
  .optional()
  .describe('Needed only when you are in several conversations; the other agent may be named instead.');

/** Present only when a limit is near: how many messages are left, and which limit it is. */
export const messagesLeftSchema = z
  .object({ limit: z.enum(['max_messages', 'chain', 'hour']), messages_left: z.number().int() })
  .optional();

export const startConversationInput = z.strictObject({
  ...targetArguments,
  purpose: z
    .string()
    .max(MAX_PURPOSE)
    .optional()
    .describe('What it is about, in a few words; the other agent reads it.'),
  initial_message: text.optional().describe('Your first message; it counts.'),
  max_messages: z
    .number()
    .int()
    .min(CONVERSATION_MESSAGES.min)
    .max(CONVERSATION_MESSAGES.max)
    .optional()
    .describe(
      `Messages of both sides together, the last one ends the conversation; ${CONVERSATION_MESSAGES.default} when left out.`,
    ),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const startConversationOutput = z.object({
  success: z.literal(true),
  conversation_id: z.string(),
  status: z.literal('pending'),
  participant_agent_id: z.string(),
  purpose: z.string().nullable(),
  max_messages: z.number().int(),
  message: messageSchema.optional().describe('The initial message.'),
  warning: z
    .enum(['no_credential', 'no_coordinator'])
    .optional()
    .describe('Why the other agent may not come.'),
  near_limit: messagesLeftSchema,
  instruction: z.string(),
});

export const endConversationInput = z.strictObject({
  conversation_id: conversationId,
  ...targetArguments,
  final_message: text.optional().describe('A closing line; kept with the conversation, not a message.'),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const endConversationOutput = z.object({
  success: z.literal(true),
  conversation_id: z.string(),
  state: conversationSchema.shape.state,
  ended_by: z.string().nullable(),
  reason: conversationSchema.shape.endReason,
  instruction: z.string(),
});

export const getConversationMessagesInput = z.strictObject({
  conversation_id: conversationId,
  ...targetArguments,
  after: idArgument.optional().describe('Those after this message id.'),
  before: idArgument.optional().describe('Those directly before this message id.'),
  limit: z.number().int().min(1).max(200).optional().describe('50 when left out.'),
  ...sessionArguments,
});

export const getConversationMessagesOutput = z.object({
  conversation: conversationSchema,
  messages: z.array(messageSchema),
  has_more: z.boolean(),
  total_count: z.number().int(),
});
