import { z } from 'zod';
import { CONVERSATION_END_REASONS, CONVERSATION_STATES } from '../domain/conversation/conversation-states.ts';
import { instantSchema } from './ids.ts';

/** A conversation between two agents (contract §3), the same keys in REST and WebSocket. */
export const conversationSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  initiatorAgentId: z.string(),
  participantAgentId: z.string(),
  state: z.enum(CONVERSATION_STATES),
  purpose: z.string().nullable(),
  messageCount: z.number().int(),
  maxMessages: z.number().int(),
  /** Conversations that follow from one another share it; the limit of a chain counts over all of them. */
  chainId: z.string(),
  /** How much of the chain's limit is used; both absent when there is no limit. */
  chainMessageCount: z.number().int().optional(),
  chainMaxMessages: z.number().int().optional(),
  createdAt: instantSchema,
  endedAt: instantSchema.nullable(),
  /** The agent that ended it; null when nobody of the two did. */
  endedBy: z.string().nullable(),
  endReason: z.enum(CONVERSATION_END_REASONS).nullable(),
  finalMessage: z.string().nullable(),
});
export type Conversation = z.infer<typeof conversationSchema>;
