import { z } from 'zod';
import { TASK_STATUSES } from '../core/tasks/rules/task-status.ts';
import { instantSchema, textSchema } from './ids.ts';
import { DEGRADATIONS, STATE_KINDS } from './memory.ts';

/** What a search of a project finds. */
export const SEARCH_KINDS = ['memory', 'task', 'chat', 'conversation'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export const searchProjectBodySchema = z.strictObject({
  query: textSchema(1, 1_000),
  limit: z.int().min(1).max(100).default(50),
  /** Absent: all. */
  kinds: z.array(z.enum(SEARCH_KINDS)).min(1).max(SEARCH_KINDS.length).optional(),
});
export type SearchProjectBody = z.infer<typeof searchProjectBodySchema>;

/** A part of a text that fits the query, in UTF-16 units. */
const markSchema = z.object({ start: z.int(), end: z.int() });
export type Mark = z.infer<typeof markSchema>;

export const searchItemSchema = z.object({
  kind: z.enum(SEARCH_KINDS),
  /** Of the task, the message or the conversation; of memory: of the event or state. */
  id: z.string(),
  /** In whose chat or memory it is. */
  agentId: z.string().optional(),
  /** The message where it was said. */
  messageId: z.string().optional(),
  /** The conversation of that message. */
  conversationId: z.string().optional(),
  /** Of a task its title, of a conversation its purpose; else empty. */
  title: z.string(),
  titleMarks: z.array(markSchema),
  /** The part of the text that fits the query best; of a long text not all. */
  text: z.string(),
  marks: z.array(markSchema),
  /** The name of who said it. */
  saidBy: z.string().optional(),
  /** Of memory: the kind of the state, or an event. */
  memoryKind: z.enum([...STATE_KINDS, 'event']).optional(),
  /** Of a task. */
  status: z.enum(TASK_STATUSES).optional(),
  /** Of a conversation: its two agents, and how many messages it has. */
  sides: z.array(z.string()).optional(),
  messageCount: z.int().optional(),
  createdAt: instantSchema,
  score: z.number(),
  /** The legs of retrieval that found it. */
  hitSources: z.array(z.string()),
});
export type SearchItem = z.infer<typeof searchItemSchema>;

export const projectSearchSchema = z.object({
  degraded: z.array(z.enum(DEGRADATIONS)),
  /** Milliseconds. */
  timings: z.record(z.string(), z.number()),
  /** How many were found of the kinds that were asked for. */
  total: z.int(),
  counts: z.record(z.enum(SEARCH_KINDS), z.int()),
  /** The best first. */
  items: z.array(searchItemSchema),
});
export type ProjectSearch = z.infer<typeof projectSearchSchema>;
