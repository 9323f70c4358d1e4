import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import type { PendingMessage } from '../composer/outbox.ts';
import type { StreamedAnswer, Timeline } from '../timeline/timeline.ts';

/** A row of the list; `key` stays the same while the row changes, so that its element stays, too. */
export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'unread'; readonly key: string }
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      /** From the person's message to this answer, by the server's clock. */
      readonly tookMs?: number;
    }
  | { readonly kind: 'question'; readonly key: string; readonly card: Question }
  | { readonly kind: 'conversation'; readonly key: string; readonly conversation: Conversation }
  | { readonly kind: 'pending'; readonly key: string; readonly pending: PendingMessage }
  | { readonly kind: 'streaming'; readonly key: string; readonly streaming: StreamedAnswer };

/** A message of the agent that comes later than this is not the answer to the message above it. */
const ANSWER_WITHIN_MS = 60 * 60_000;

/** Cards and conversations with other agents, which are inserted between the messages by their time. */
export type InsertedRow = Extract<Row, { kind: 'question' | 'conversation' }>;

/** Oldest first. */
export function insertedRows(
  cards: readonly Question[],
  conversations: readonly Conversation[],
): readonly InsertedRow[] {
  const inserted: InsertedRow[] = [
    ...cards.map((card): InsertedRow => ({ kind: 'question', key: card.toolUseId, card })),
    ...conversations.map(
      (conversation): InsertedRow => ({ kind: 'conversation', key: conversation.id, conversation }),
    ),
  ];
  return inserted.sort((a, b) => (createdAtOf(a) < createdAtOf(b) ? -1 : 1));
}

function createdAtOf(row: InsertedRow): string {
  return row.kind === 'question' ? row.card.createdAt : row.conversation.createdAt;
}

/**
 * The messages and the inserted rows in the order of their time, with a divider before each day and before the first
 * unread message. Both lists are oldest first.
 */
export function messageRows(
  { messages, sentAs }: Pick<Timeline, 'messages' | 'sentAs'>,
  firstUnreadId?: string,
  inserted: readonly InsertedRow[] = [],
): readonly Row[] {
  const rows: Row[] = [];
  let before: Message | undefined;
  let day: string | undefined;
  const beginDay = (at: string) => {
    if (dayKey(at) === day) return;
    day = dayKey(at);
    rows.push({ kind: 'day', key: `day-${day}`, at });
  };
  let next = 0;
  const addInserted = (until?: string) => {
    for (
      let row = inserted[next];
      row && (until === undefined || createdAtOf(row) < until);
      row = inserted[next]
    ) {
      beginDay(createdAtOf(row));
      rows.push(row);
      next += 1;
      // The agent waited for a person: the time of its answer does not include that.
      before = undefined;
    }
  };
  for (const message of messages) {
    addInserted(message.createdAt);
    beginDay(message.createdAt);
    if (message.id === firstUnreadId) rows.push({ kind: 'unread', key: 'unread' });
    rows.push({
      kind: 'message',
      key: sentAs[message.id] ?? message.id,
      message,
      ...answerTime(before, message),
    });
    before = message;
  }
  addInserted();
  return rows;
}

function answerTime(before: Message | undefined, message: Message): { tookMs?: number } {
  if (before?.sender !== 'user' || message.sender !== 'agent') return {};
  const tookMs = Date.parse(message.createdAt) - Date.parse(before.createdAt);
  return tookMs >= 0 && tookMs < ANSWER_WITHIN_MS ? { tookMs } : {};
}

/** In the reader's time zone. */
function dayKey(at: string): string {
  const day = new Date(at);
  return `${day.getFullYear()}-${day.getMonth()}-${day.getDate()}`;
}

/**
 * Adds the pending messages and the streamed answer at the end. The frame of a message may arrive before the response
 * to the call that stored it: then the pending message is already shown by that message's row.
 */
export function withPending(
  rows: readonly Row[],
  pending: readonly PendingMessage[],
  streaming: readonly StreamedAnswer[],
  meId: string | undefined,
): readonly Row[] {
  if (pending.length === 0 && streaming.length === 0) return rows;
  const keys = new Set(rows.map(({ key }) => key));
  const stored = new Map<string, Row>();
  const unstored: PendingMessage[] = [];
  for (const one of pending) {
    if (keys.has(one.clientMessageId)) continue;
    const row = rows.find((row) => isRowOf(row, one, meId) && !stored.has(row.key));
    if (row) stored.set(row.key, { ...row, key: one.clientMessageId });
    else unstored.push(one);
  }
  return [
    ...(stored.size === 0 ? rows : rows.map((row) => stored.get(row.key) ?? row)),
    ...unstored.map((one): Row => ({ kind: 'pending', key: one.clientMessageId, pending: one })),
    ...streaming.map((one): Row => ({ kind: 'streaming', key: one.messageId, streaming: one })),
  ];
}

function isRowOf(row: Row, pending: PendingMessage, meId: string | undefined): boolean {
  if (row.kind !== 'message' || row.key !== row.message.id) return false;
  const { sender, humanId, content, seq } = row.message;
  return sender === 'user' && humanId === meId && content === pending.content && seq > pending.afterSeq;
}

/** The index of a message's row; -1 when it has none. */
export function rowOfMessage(rows: readonly Row[], messageId: string): number {
  return rows.findIndex((row) => row.kind === 'message' && row.message.id === messageId);
}
