import type { Message } from '@aizuchi/shared/contract/chat';
import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { Question } from '@aizuchi/shared/contract/question';
import type { Growing, Timeline } from '../timeline/timeline.ts';

/** A message on its way to the server. */
export interface Send {
  readonly clientMessageId: string;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The highest seq that was known when it was written: its own is higher. */
  readonly afterSeq: number;
  /** waiting: no answer came, it is tried again by itself. refused: only a person can do something. */
  readonly state: 'sending' | 'waiting' | 'refused';
  readonly error?: unknown;
}

export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'unread'; readonly key: string }
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly message: Message;
      /** From the question to this answer, by the server's clock. */
      readonly tookMs?: number;
    }
  | { readonly kind: 'question'; readonly key: string; readonly card: Question }
  | { readonly kind: 'conversation'; readonly key: string; readonly conversation: Conversation }
  | { readonly kind: 'send'; readonly key: string; readonly send: Send }
  | { readonly kind: 'growing'; readonly key: string; readonly growing: Growing };

/** Longer than this was no answer to the line above it. */
const ANSWER_WITHIN_MS = 60 * 60_000;

/** What stands between the messages in its place in time: cards, and talk with other agents. */
export type Aside = Extract<Row, { kind: 'question' | 'conversation' }>;

/** Oldest first. */
export function asidesOf(
  cards: readonly Question[],
  conversations: readonly Conversation[],
): readonly Aside[] {
  const asides: Aside[] = [
    ...cards.map((card): Aside => ({ kind: 'question', key: card.toolUseId, card })),
    ...conversations.map(
      (conversation): Aside => ({ kind: 'conversation', key: conversation.id, conversation }),
    ),
  ];
  return asides.sort((a, b) => (atOf(a) < atOf(b) ? -1 : 1));
}

function atOf(aside: Aside): string {
  return aside.kind === 'question' ? aside.card.createdAt : aside.conversation.createdAt;
}

/**
 * The messages as the list shows them, with the asides in their place in time, and a line before each day and before
 * the first unread message. Both oldest first.
 */
export function messageRows(
  { messages, sentAs }: Pick<Timeline, 'messages' | 'sentAs'>,
  firstUnreadId?: string,
  asides: readonly Aside[] = [],
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
  const addAsides = (until?: string) => {
    for (
      let aside = asides[next];
      aside && (until === undefined || atOf(aside) < until);
      aside = asides[next]
    ) {
      beginDay(atOf(aside));
      rows.push(aside);
      next += 1;
      // The agent waited for somebody: that is not how long it took.
      before = undefined;
    }
  };
  for (const message of messages) {
    addAsides(message.createdAt);
    beginDay(message.createdAt);
    if (message.id === firstUnreadId) rows.push({ kind: 'unread', key: 'unread' });
    rows.push({
      kind: 'message',
      key: sentAs[message.id] ?? message.id,
      message,
      ...tookOf(before, message),
    });
    before = message;
  }
  addAsides();
  return rows;
}

function tookOf(before: Message | undefined, message: Message): { tookMs?: number } {
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
 * Behind the messages: what is on its way, and the answer that grows. A send whose message came by the socket before
 * the call was answered is that message already: it is not shown twice.
 */
export function withPending(
  rows: readonly Row[],
  sends: readonly Send[],
  growing: readonly Growing[],
  meId: string | undefined,
): readonly Row[] {
  if (sends.length === 0 && growing.length === 0) return rows;
  const acked = new Set(rows.map(({ key }) => key));
  const twins = new Map<string, Row>();
  const rest: Send[] = [];
  for (const send of sends) {
    if (acked.has(send.clientMessageId)) continue;
    const twin = rows.find((row) => isTwin(row, send, meId) && !twins.has(row.key));
    if (twin) twins.set(twin.key, { ...twin, key: send.clientMessageId });
    else rest.push(send);
  }
  return [
    ...(twins.size === 0 ? rows : rows.map((row) => twins.get(row.key) ?? row)),
    ...rest.map((send): Row => ({ kind: 'send', key: send.clientMessageId, send })),
    ...growing.map((one): Row => ({ kind: 'growing', key: one.messageId, growing: one })),
  ];
}

/** The index of a message's row; -1 when it has none. */
export function rowOfMessage(rows: readonly Row[], messageId: string): number {
  return rows.findIndex((row) => row.kind === 'message' && row.message.id === messageId);
}

function isTwin(row: Row, send: Send, meId: string | undefined): boolean {
  if (row.kind !== 'message' || row.key !== row.message.id) return false;
  const { sender, humanId, content, seq } = row.message;
  return sender === 'user' && humanId === meId && content === send.content && seq > send.afterSeq;
}
