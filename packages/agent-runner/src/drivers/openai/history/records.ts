import { z } from 'zod';

const callSchema = z.object({
  id: z.string(),
  tool: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** What the provider wants to see again with the call, for example a signature of its reasoning. */
  metadata: z.record(z.string(), z.record(z.string(), z.json())).optional(),
});

/** One thing that was said. An `assistant` entry with calls is followed by a `tool` entry for each of them. */
const entrySchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), text: z.string() }),
  z.object({
    role: z.literal('assistant'),
    text: z.string(),
    /** Only within its turn: some models need it to go on after a tool. */
    reasoning: z.string().optional(),
    calls: z.array(callSchema).optional(),
  }),
  z.object({ role: z.literal('tool'), callId: z.string(), tool: z.string(), text: z.string() }),
]);

/** A batch of messages and what the model did about it. */
const recordSchema = z.object({
  /** The ids of the messages that it answers. */
  messageIds: z.array(z.string()),
  /** Its answer is not complete: the model works on it, or a process ended while it did. */
  isOpen: z.boolean(),
  entries: z.array(entrySchema),
  /** The first entries, whose texts are messages in the chat already: the turn has failed and was asked for again. */
  shownEntries: z.int().optional(),
  /** Why the answer ends where it ends; in brackets, for the model. */
  closing: z.string().optional(),
});

const sourceSchema = z.object({
  records: z.array(recordSchema),
  /** What did not fit into the window of the model any more. */
  leftOut: z.object({ messages: z.int(), excerpts: z.array(z.string()) }),
  /** The newest message that the model has seen or that was answered before it came. */
  lastSeq: z.int(),
  /** Of a conversation: what it is about. */
  purpose: z.string().optional(),
  /** Of a conversation that the agent began in its chat: the person there may wait for what comes of it. */
  isForChat: z.boolean().optional(),
});

export const savedHistorySchema = z.object({
  version: z.literal(1),
  /** Tokens: smaller than at first when the model has refused a longer context. */
  budget: z.number().positive(),
  sources: z.record(z.string(), sourceSchema),
});

export type ToolCallEntry = z.infer<typeof callSchema>;
export type Entry = z.infer<typeof entrySchema>;
export type AssistantEntry = Extract<Entry, { role: 'assistant' }>;
export type TurnRecord = z.infer<typeof recordSchema>;
export type SourceHistory = z.infer<typeof sourceSchema>;
export type SavedHistory = z.infer<typeof savedHistorySchema>;

export function emptySource(): SourceHistory {
  return { records: [], leftOut: { messages: 0, excerpts: [] }, lastSeq: 0 };
}

/** The calls of the newest step that have no result yet. Some servers use the same ids in every step. */
export function unansweredCalls({ entries }: TurnRecord): readonly ToolCallEntry[] {
  const last = entries.findLastIndex(({ role }) => role === 'assistant');
  const step = entries[last];
  if (step?.role !== 'assistant') return [];
  const after = entries.slice(last + 1).flatMap((entry) => (entry.role === 'tool' ? entry.callId : []));
  return (step.calls ?? []).filter(({ id }) => !after.includes(id));
}

export function answerCall(record: TurnRecord, { id, tool }: ToolCallEntry, text: string): void {
  record.entries.push({ role: 'tool', callId: id, tool, text });
}

/** The answer of the turn so far, without what an earlier attempt has left in the chat. */
export function textOf({ entries, shownEntries = 0 }: TurnRecord): string {
  return entries
    .slice(shownEntries)
    .flatMap((entry) => (entry.role === 'assistant' && entry.text !== '' ? entry.text : []))
    .join(BETWEEN_STEPS);
}

/** Between the texts of two steps. */
export const BETWEEN_STEPS = '\n\n';
