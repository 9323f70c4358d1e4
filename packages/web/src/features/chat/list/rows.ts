import type { Approval } from '@aizuchi/shared/contract/approval';
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
  | { readonly kind: 'approval'; readonly key: string; readonly approval: Approval }
  | { readonly kind: 'conversation'; readonly key: string; readonly conversation: Conversation }
  /** Cards and conversations before this time are not shown yet. */
  | { readonly kind: 'cut'; readonly key: string; readonly at: string }
  | { readonly kind: 'pending'; readonly key: string; readonly pending: PendingMessage }
  | { readonly kind: 'streaming'; readonly key: string; readonly streaming: StreamedAnswer };

/** A message of the agent that comes later than this is not the answer to the message above it. */
const ANSWER_WITHIN_MS = 60 * 60_000;

/** Cards, approvals and conversations with other agents, which are inserted between the messages by their time. */
export type InsertedRow = Extract<Row, { kind: 'question' | 'approval' | 'conversation' | 'cut' }>;

/** Not the id alone: a question of the same agent may have the same one. */
export const approvalRowKey = (id: string) => `approval ${id}`;

/** Oldest first. */
export function insertedRows(
  cards: readonly Question[],
  conversations: readonly Conversation[],
  approvals: readonly Approval[] = [],
  cutAt?: string,
): readonly InsertedRow[] {
  const inserted: InsertedRow[] = [
    ...cards.map((card): InsertedRow => ({ kind: 'question', key: card.toolUseId, card })),
    ...approvals.map(
      (approval): InsertedRow => ({ kind: 'approval', key: approvalRowKey(approval.id), approval }),
    ),
    ...conversations.map(
      (conversation): InsertedRow => ({ kind: 'conversation', key: conversation.id, conversation }),
    ),
  ];
  inserted.sort((a, b) => (createdAtOf(a) < createdAtOf(b) ? -1 : 1));
  if (cutAt === undefined) return inserted;
  // Above everything since that time.
  const place = inserted.findIndex((row) => createdAtOf(row) >= cutAt);
  return inserted.toSpliced(place === -1 ? inserted.length : place, 0, {
    kind: 'cut',
    key: 'cut',
    at: cutAt,
  });
}

function createdAtOf(row: InsertedRow): string {
  switch (row.kind) {
    case 'question':
      return row.card.createdAt;
    case 'approval':
      return row.approval.createdAt;
    case 'conversation':
      return row.conversation.createdAt;
    case 'cut':
      return row.at;
  }
}

/**
 * The messages and the inserted rows in the order of their time, with a divider before each day and before the first
 * unread message. Both lists are oldest first. While older messages are not loaded, the first day has no divider: its
 * begin is not known, and a row that stays first while pages are added above it would keep the list at its top.
 */
export function messageRows(
  { messages, sentAs, hasOlder }: Pick<Timeline, 'messages' | 'sentAs' | 'hasOlder'>,
  firstUnreadId?: string,
  inserted: readonly InsertedRow[] = [],
): readonly Row[] {
  const rows: Row[] = [];
  let before: Message | undefined;
  let day: string | undefined;
  const beginDay = (at: string) => {
    if (dayKey(at) === day) return;
    const isBeginKnown = day !== undefined || !hasOlder;
    day = dayKey(at);
    if (isBeginKnown) rows.push({ kind: 'day', key: `day-${day}`, at });
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

/** The index of a message's row; -1 when it has none. */
export function rowOfMessage(rows: readonly Row[], messageId: string): number {
  return rows.findIndex((row) => row.kind === 'message' && row.message.id === messageId);
}
