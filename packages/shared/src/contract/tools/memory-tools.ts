import { z } from 'zod';
import { instantSchema, textSchema } from '../ids.ts';
import { DEGRADATIONS, MEMORY_ITEM_TYPES, MEMORY_SOURCES, packItemSchema, STATE_KINDS } from '../memory.ts';
import { idempotencyKey, sessionArguments } from './common.ts';

export const MEMORY_TOOL_LIMITS = { query: 4_000, text: 4_000, items: 100 } as const;
/** The long mood is computed. */
export const REMEMBERED_KINDS = ['fact', 'relation', 'task', 'summary'] as const;

/** Who said it, and when. */
const saidSchema = {
  said_by: z.string().nullable().describe('Who said it; null: not known.'),
  created_at: instantSchema,
  local_time: z.string().describe('When it was said, in the time zone of this installation.'),
};

export const recallInput = z.strictObject({
  query: textSchema(1, MEMORY_TOOL_LIMITS.query).describe(
    'What you want to know, in the words in which it may have been said.',
  ),
  limit: z.int().min(1).max(MEMORY_TOOL_LIMITS.items).optional().describe('How many at most; 10 by default.'),
  ...sessionArguments,
});

export const recallOutput = z.object({
  run_id: z.string().nullable().describe('Names this search; null when memory was away.'),
  degraded: z
    .array(z.enum(DEGRADATIONS))
    .describe('What was missing for this answer. memory_unavailable: nothing could be searched.'),
  items: z.array(
    z.object({
      type: z.enum(MEMORY_ITEM_TYPES),
      id: z.string(),
      kind: z.enum(STATE_KINDS).optional().describe('Of a state: what was learnt.'),
      source: z.enum(MEMORY_SOURCES).optional().describe('Of an event: where it was said.'),
      text: z.string(),
      reply: z.string().optional().describe('What you answered then.'),
      ...saidSchema,
      score: z.number(),
      found_by: z.array(z.string()).describe('The ways of searching that found it.'),
      source_events: z.array(z.string()).describe('The events that it was said in.'),
    }),
  ),
  instruction: z.string(),
});

export const rememberInput = z.strictObject({
  text: textSchema(1, MEMORY_TOOL_LIMITS.text).describe(
    'What is to be remembered: whole sentences that are understood without this chat.',
  ),
  kind: z
    .enum(REMEMBERED_KINDS)
    .optional()
    .describe('fact (default); relation: between people or things; task: something to be done; summary.'),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const rememberOutput = z.object({
  success: z.literal(true),
  event_id: z.string(),
  state_id: z.string(),
  instruction: z.string(),
});

/** A SearchResultPack, and of each item who said it and when. */
export const deliveredPackSchema = z.object({
  run_id: z.string(),
  selected: z.array(
    packItemSchema.extend({
      ...saidSchema,
      source_ref: z
        .string()
        .optional()
        .describe('What the event was made from; of a chat: "msg:" and the id of its first message.'),
    }),
  ),
});
export type DeliveredPack = z.infer<typeof deliveredPackSchema>;
