import { appendFileSync } from 'node:fs';
import { z } from 'zod';

/** In the control folder of a recording agent; each of its processes adds to it. */
export const RECORD_FILE = 'given.jsonl';

const givenSchema = z.object({ id: z.string(), marked: z.boolean() });

/** An agent was given it, in an answer that its client had read as a whole. */
const messagesSchema = z.object({
  kind: z.literal('messages'),
  pid: z.number(),
  batch: z.string(),
  conversationId: z.string().nullable(),
  messages: z.array(givenSchema),
});

export const recordLineSchema = z.discriminatedUnion('kind', [
  messagesSchema,
  /** It is about to answer this batch. */
  z.object({ kind: z.literal('answer'), pid: z.number(), batch: z.string() }),
  /** The server acknowledged what it said in a conversation. */
  z.object({ kind: z.literal('said'), pid: z.number(), id: z.string() }),
  z.object({
    kind: z.literal('notice'),
    pid: z.number(),
    action: z.enum(['conversation_request', 'conversation_ended', 'conversation_expired']),
    conversationId: z.string(),
    marked: z.boolean(),
    /** What was never read of it: given now, and nothing to be answered any more. */
    messages: z.array(givenSchema),
  }),
  /** What became of a card; marked too when the agent itself had asked again. */
  z.object({
    kind: z.literal('click'),
    pid: z.number(),
    toolUseId: z.string(),
    status: z.string(),
    marked: z.boolean(),
  }),
]);
export type RecordLine = z.infer<typeof recordLineSchema>;

type WithoutPid<T> = T extends unknown ? Omit<T, 'pid'> : never;
export type Recorded = WithoutPid<RecordLine>;

/** On disk before this returns: whatever the agent does next, it has been seen that it was given this. */
export function writeLine(file: string, line: Recorded): void {
  appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...line })}\n`, { flush: true });
}
