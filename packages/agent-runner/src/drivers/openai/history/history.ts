import type { Message } from '@aizuchi/shared/contract/chat';
import type { MessageSource } from '@aizuchi/shared/contract/tools/chat-tools';
import type { Turn } from '../../../driver.ts';
import {
  type Entry,
  emptySource,
  type SavedHistory,
  type SourceHistory,
  savedHistorySchema,
  type TurnRecord,
} from './records.ts';
import { entriesOf, type Listener, saidBy } from './said.ts';

/**
 * The context for a model whose window is not known: it fits into that of nearly every model that can call tools, and
 * in a larger one it keeps the answer quick.
 */
const DEFAULT_BUDGET = 24_000;
const MIN_BUDGET = 2_000;
/** The chat, and as many conversations as an agent has at about the same time. */
const MAX_SOURCES = 20;

/** What was said in the chat and in each conversation, as the model has seen it. */
export class History {
  readonly #saved: SavedHistory;

  private constructor(saved: SavedHistory) {
    this.#saved = saved;
  }

  /** Goes on where an earlier process stood; begins anew with a text that is none of ours. */
  static from(text: string | undefined): History {
    const saved = savedHistorySchema.safeParse(parseJson(text)).data;
    if (!saved) return new History({ version: 1, budget: DEFAULT_BUDGET, sources: {} });
    for (const { records } of Object.values(saved.sources))
      for (const record of records.filter(({ isOpen }) => isOpen)) {
        record.isOpen = false;
        record.closing = '[Your process ended before you had answered this.]';
      }
    return new History(saved);
  }

  toString(): string {
    return JSON.stringify(this.#saved);
  }

  /** Tokens of a whole request. */
  get budget(): number {
    return this.#saved.budget;
  }

  /** The server has refused a request of about this size. False: it can hardly be smaller. */
  halveBudget(refusedTokens: number): boolean {
    const budget = Math.floor(Math.min(this.budget, refusedTokens) / 2);
    if (budget < MIN_BUDGET) return false;
    this.#saved.budget = budget;
    return true;
  }

  of(source: MessageSource): SourceHistory {
    const key = keyOf(source);
    const known = this.#saved.sources[key] ?? emptySource();
    // The one that was used last comes last.
    delete this.#saved.sources[key];
    this.#saved.sources[key] = known;
    const old = Object.keys(this.#saved.sources).filter((one) => one !== 'chat');
    for (const one of old.slice(0, -MAX_SOURCES)) delete this.#saved.sources[one];
    return known;
  }

  find(source: MessageSource): SourceHistory | undefined {
    return this.#saved.sources[keyOf(source)];
  }

  forget(source: MessageSource): void {
    delete this.#saved.sources[keyOf(source)];
  }

  /**
   * The record of a turn: a new one, or that of an earlier process that was given the same messages. Then the steps that
   * it completed are not done again.
   */
  begin(turn: Turn, listener: Listener): BegunRecord {
    const source = this.of(turn.source);
    const ids = new Set(turn.messages.map(({ id }) => id));
    const earlier = source.records.find(
      ({ messageIds }) => messageIds.length > 0 && messageIds.every((id) => ids.has(id)),
    );
    if (!earlier) learn(source, unknownBefore(source, turn, listener), listener);
    source.lastSeq = Math.max(source.lastSeq, ...[...turn.context, ...turn.messages].map(({ seq }) => seq));
    if (earlier) return takeUp(earlier, turn.messages, listener);
    const record: TurnRecord = {
      messageIds: [...ids],
      isOpen: true,
      entries: [{ role: 'user', text: saidBy(turn.messages, listener) }],
    };
    source.records.push(record);
    return { record, alsoSaid: '' };
  }
}

export interface BegunRecord {
  readonly record: TurnRecord;
  /** What came besides the messages of the record; it belongs after the results of the tools that are still open. */
  readonly alsoSaid: string;
}

function keyOf(source: MessageSource): string {
  return source.kind === 'chat' ? 'chat' : source.conversation_id;
}

/** Another process answered these, or nobody did. Our own answers alone are no news. */
function unknownBefore(source: SourceHistory, turn: Turn, { agentId }: Listener): readonly Message[] {
  const known = new Set(source.records.flatMap(({ messageIds }) => messageIds));
  const later = turn.context.filter(({ id, seq }) => seq > source.lastSeq && !known.has(id));
  const first = later.findIndex(({ senderId, sender }) => senderId !== agentId && sender !== 'system');
  return first < 0 ? [] : later.slice(first);
}

function learn(source: SourceHistory, messages: readonly Message[], listener: Listener): void {
  let entries: Entry[] | undefined;
  for (const entry of entriesOf(messages, listener)) {
    if (!entries || (entry.role === 'user' && entries.at(-1)?.role !== 'user')) {
      entries = [];
      source.records.push({ messageIds: [], isOpen: false, entries });
    }
    // The first word is never the model's: the templates of some models refuse that.
    const isFirst = entries.length === 0 && entry.role === 'assistant';
    entries.push(isFirst ? { role: 'user', text: `[You have written before: ${entry.text}]` } : entry);
  }
}

/** What was half said is void: the model says it anew. */
function takeUp(record: TurnRecord, messages: readonly Message[], listener: Listener): BegunRecord {
  const last = record.entries.at(-1);
  if (record.closing !== undefined && last?.role === 'assistant' && !last.calls) record.entries.pop();
  delete record.closing;
  // Of what was popped the next entry takes the place, and nobody has read that one.
  if (record.shownEntries !== undefined)
    record.shownEntries = Math.min(record.shownEntries, record.entries.length);
  record.isOpen = true;
  const fresh = messages.filter(({ id }) => !record.messageIds.includes(id));
  record.messageIds.push(...fresh.map(({ id }) => id));
  return { record, alsoSaid: saidBy(fresh, listener) };
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
