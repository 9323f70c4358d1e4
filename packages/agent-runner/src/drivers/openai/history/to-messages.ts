import type { ModelMessage, UserContent } from 'ai';
import type { Picture } from '../../../driver.ts';
import {
  type Entry,
  type SourceHistory,
  type ToolCallEntry,
  type TurnRecord,
  textOf,
  unansweredCalls,
} from './records.ts';

/**
 * What the model reads: the other turns, oldest first, what was recalled for the current one, that one, a note of ours. Two texts of one side
 * never follow each other, because the templates of some models refuse that.
 */
export function toMessages(
  source: SourceHistory,
  current: TurnRecord,
  {
    recalled,
    note,
    pictures = [],
    hasReasoning = true,
  }: {
    recalled?: string | undefined;
    note?: string | undefined;
    /** Those of the messages of the current turn. */
    pictures?: readonly Picture[];
    hasReasoning?: boolean;
  } = {},
): ModelMessage[] {
  const others = source.records.filter((record) => record !== current).flatMap(entriesOf);
  const entries: Shown[] = [...leftOutNote(source), ...others];
  if (recalled !== undefined) entries.push({ role: 'user', text: recalled });
  const [first, ...rest] = hasReasoning ? current.entries : current.entries.map(withoutReasoning);
  if (first) entries.push(first.role === 'user' ? { ...first, pictures } : first, ...rest);
  if (note !== undefined) entries.push({ role: 'user', text: note });
  return entries
    .filter((entry) => !isEmpty(entry))
    .reduce<Shown[]>(joined, [])
    .map(toMessage);
}

/** An entry, with the pictures that the model sees with it. */
type Shown = Entry & { readonly pictures?: readonly Picture[] };

/** A call without its result is refused by every server: such a turn is told in words. */
function entriesOf(record: TurnRecord): readonly Entry[] {
  const open = unansweredCalls(record);
  const closing = record.isOpen ? waitingNote(open) : (record.closing ?? '');
  if (!record.isOpen && open.length === 0)
    return [...record.entries.map(withoutReasoning), { role: 'assistant', text: closing }];
  const said = record.entries.filter(({ role }) => role === 'user');
  const text = [textOf(record), closing].filter((part) => part !== '').join('\n\n');
  return [...said, { role: 'assistant', text }];
}

function waitingNote(open: readonly ToolCallEntry[]): string {
  if (open.length === 0) return '';
  const calls = open.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`);
  return `[You have called ${calls.join(', ')} and wait for the result.]`;
}

function withoutReasoning(entry: Entry): Entry {
  if (entry.role !== 'assistant') return entry;
  const { reasoning: _, ...rest } = entry;
  return rest;
}

function leftOutNote({ leftOut: { messages, excerpts } }: SourceHistory): Entry[] {
  if (messages === 0) return [];
  const lines = excerpts.map((excerpt) => `- ${excerpt}`).join('\n');
  return [
    {
      role: 'user',
      text: `[${messages} older messages are left out here. The last of them from other people began:\n${lines}]`,
    },
  ];
}

function isEmpty(entry: Entry): boolean {
  return entry.text === '' && entry.role === 'assistant' && !entry.calls?.length;
}

function joined(entries: Shown[], entry: Shown): Shown[] {
  const last = entries.at(-1);
  const text = last && `${last.text}\n\n${entry.text}`;
  if (text !== undefined && last?.role === 'user' && entry.role === 'user')
    return [
      ...entries.slice(0, -1),
      { role: 'user', text, pictures: [...(last.pictures ?? []), ...(entry.pictures ?? [])] },
    ];
  const isPlain = last?.role === 'assistant' && !last.calls && entry.role === 'assistant' && !entry.calls;
  if (text !== undefined && isPlain) return [...entries.slice(0, -1), { role: 'assistant', text }];
  return [...entries, entry];
}

function toMessage(entry: Shown): ModelMessage {
  switch (entry.role) {
    case 'user':
      return {
        role: 'user',
        content: entry.pictures?.length ? seen(entry.text, entry.pictures) : entry.text,
      };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(entry.reasoning ? [{ type: 'reasoning' as const, text: entry.reasoning }] : []),
          ...(entry.text ? [{ type: 'text' as const, text: entry.text }] : []),
          ...(entry.calls ?? []).map(({ id, tool, input, metadata }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: tool,
            input,
            ...(metadata && { providerOptions: metadata }),
          })),
        ],
      };
    case 'tool': {
      const output = { type: 'text' as const, value: entry.text };
      const result = { type: 'tool-result' as const, toolCallId: entry.callId, toolName: entry.tool, output };
      return { role: 'tool', content: [result] };
    }
  }
}

function seen(text: string, pictures: readonly Picture[]): Extract<UserContent, readonly unknown[]> {
  return [
    { type: 'text', text },
    ...pictures.map(({ mediaType, data }) => ({ type: 'file' as const, mediaType, data })),
  ];
}
