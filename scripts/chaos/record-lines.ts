import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';

/** In the control folder of a recording agent. All processes of this agent append to it. */
export const RECORD_FILE = 'given.jsonl';

const givenSchema = z.object({ id: z.string(), marked: z.boolean() });
/** Which process wrote it: its process id alone may be that of an earlier one, or of one in another container. */
const by = { process: z.string() };

/** The agent was given these messages, in an answer that its client has read completely. */
const messagesSchema = z.object({
  kind: z.literal('messages'),
  ...by,
  batch: z.string(),
  conversationId: z.string().nullable(),
  messages: z.array(givenSchema),
});

export const recordLineSchema = z.discriminatedUnion('kind', [
  /** The process begins: what it is given first may be written down after what its successor was given. */
  z.object({ kind: z.literal('started'), ...by }),
  messagesSchema,
  /** The agent is about to answer this batch. */
  z.object({ kind: z.literal('answer'), ...by, batch: z.string() }),
  /** The server acknowledged a message of the agent in a conversation. */
  z.object({ kind: z.literal('said'), ...by, id: z.string() }),
  /** The agent is about to end this conversation: then it knows the end, but not what it has not read. */
  z.object({ kind: z.literal('ending'), ...by, conversationId: z.string() }),
  z.object({
    kind: z.literal('notice'),
    ...by,
    action: z.enum(['conversation_request', 'conversation_ended', 'conversation_expired']),
    conversationId: z.string(),
    marked: z.boolean(),
    /** Messages of the conversation that were never read: they are given with the end, and need no answer. */
    messages: z.array(givenSchema),
    /** What its partner gave when it ended the conversation. */
    finalMessage: z.string().nullable(),
  }),
  /** The outcome of a card. It is also marked if the agent itself asked again. */
  z.object({
    kind: z.literal('click'),
    ...by,
    toolUseId: z.string(),
    status: z.string(),
    marked: z.boolean(),
  }),
]);
export type RecordLine = z.infer<typeof recordLineSchema>;

type WithoutProcess<T> = T extends unknown ? Omit<T, 'process'> : never;
export type Recorded = WithoutProcess<RecordLine>;

const thisProcess = `${process.pid}/${randomUUID()}`;

/** The line is on disk before this returns: whatever the agent does next, the file shows what it was given. */
export function writeLine(file: string, line: Recorded): void {
  appendFileSync(file, `${JSON.stringify({ process: thisProcess, ...line })}\n`, { flush: true });
}
