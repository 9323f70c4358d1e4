import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';

/**
 * What is known of one chat, brought together from pages (REST), frames (socket), deltas and answered sends, which
 * come in any order and more than once:
 *   T1 each message stands there once, by seq.
 *   T2 everything between the oldest page and `syncedId` is there; what frames add beyond it may have holes until the
 *      next catch-up, which therefore always reads on from `syncedId`.
 *   T3 a page that was asked for before a frame came does not put that message back to what it was, also when the
 *      message was not read yet at that time.
 */
export interface Timeline {
  readonly messages: readonly Message[];
  readonly isLoaded: boolean;
  readonly hasOlder: boolean;
  /** The newest message that a page brought: up to here nothing is missing. */
  readonly syncedId: string | undefined;
  /** Answers while they are written. */
  readonly growing: readonly Growing[];
  /** By message id: the clientMessageId that this tab sent it with, so that its row stays the same element. */
  readonly sentAs: Readonly<Record<string, string>>;
  /** By message id: when this tab learned of a state, for the receipt. */
  readonly seen: Readonly<Record<string, SeenStates>>;
  /** Counts the frames; pages name the revision they were asked at. */
  readonly revision: number;
  readonly touched: Readonly<Record<string, number>>;
  /** By message id: what frames said of messages further up than what was read. */
  readonly above: Readonly<Record<string, Message>>;
}

export type SeenStates = Readonly<Partial<Record<Message['state'], number>>>;

export interface Growing {
  readonly messageId: string;
  /** Not 0 when its beginning was written before this tab listened. */
  readonly start: number;
  readonly text: string;
  /** Epoch milliseconds of its first piece. */
  readonly since: number;
}

export type TimelineEvent =
  | {
      readonly type: 'page';
      /** refresh: single messages as they are now; it tells nothing about what lies around them. */
      readonly kind: 'newest' | 'older' | 'newer' | 'refresh';
      readonly page: MessagePage;
      /** The revision when it was asked for. */
      readonly askedAt: number;
    }
  | {
      readonly type: 'frame';
      readonly message: Message;
      readonly at: number;
    }
  | {
      readonly type: 'delta';
      readonly messageId: string;
      readonly text: string;
      readonly offset: number;
      readonly at: number;
    }
  | {
      readonly type: 'acked';
      readonly clientMessageId: string;
      readonly message: Message;
      readonly at: number;
    }
  /** What grew there becomes no message. */
  | { readonly type: 'discarded'; readonly messageId: string }
  /** Nobody writes any more: what was shown of an answer has no end. */
  | { readonly type: 'growth_over' };

export const EMPTY_TIMELINE: Timeline = {
  messages: [],
  isLoaded: false,
  hasOlder: false,
  syncedId: undefined,
  growing: [],
  sentAs: {},
  seen: {},
  revision: 0,
  touched: {},
  above: {},
};

export function reduceTimeline(timeline: Timeline, event: TimelineEvent): Timeline {
  switch (event.type) {
    case 'page':
      return withPage(timeline, event);
    case 'frame':
      return withFrame(timeline, event);
    case 'delta':
      return withDelta(timeline, event);
    case 'acked':
      return withAck(timeline, event);
    case 'discarded':
      return {
        ...timeline,
        growing: timeline.growing.filter(({ messageId }) => messageId !== event.messageId),
      };
    case 'growth_over':
      return timeline.growing.length === 0 ? timeline : { ...timeline, growing: [] };
  }
}

type PageEvent = Extract<TimelineEvent, { type: 'page' }>;

function withPage(timeline: Timeline, { kind, page, askedAt }: PageEvent): Timeline {
  const [first] = page.messages;
  const floor = kind === 'newest' && page.hasMore ? (first?.seq ?? 0) : 0;
  const known = floor > 0 ? timeline.messages.filter(({ seq }) => seq >= floor) : timeline.messages;
  const fresh = page.messages.flatMap((message) => {
    const isStale = (timeline.touched[message.id] ?? 0) > askedAt;
    return isStale ? (timeline.above[message.id] ?? []) : message;
  });
  const messages = withMessages(known, fresh);
  return {
    ...timeline,
    messages,
    above: withoutKnown(timeline.above, messages),
    isLoaded: timeline.isLoaded || kind === 'newest',
    hasOlder: kind === 'newest' || kind === 'older' ? page.hasMore : timeline.hasOlder,
    syncedId:
      kind === 'older' || kind === 'refresh'
        ? timeline.syncedId
        : laterOf(messages, timeline.syncedId, page.messages),
    growing: withoutFinished(timeline.growing, messages),
  };
}

function withFrame(timeline: Timeline, frame: Extract<TimelineEvent, { type: 'frame' }>): Timeline {
  const { message, at } = frame;
  const revision = timeline.revision + 1;
  const seen = withSeen(timeline.seen, message, at);
  const touched = { ...timeline.touched, [message.id]: revision };
  if (!isKnown(timeline, message.id)) {
    if (!message.visible) return { ...timeline, revision, seen };
    if (isAbove(timeline, message))
      return { ...timeline, revision, seen, touched, above: { ...timeline.above, [message.id]: message } };
  }
  const messages = withMessage(timeline.messages, message);
  return {
    ...timeline,
    messages,
    revision,
    touched,
    seen,
    growing: withoutFinished(timeline.growing, messages),
  };
}

function withDelta(timeline: Timeline, delta: Extract<TimelineEvent, { type: 'delta' }>): Timeline {
  const { messageId, text, offset, at } = delta;
  if (isKnown(timeline, messageId)) return timeline;
  const before = timeline.growing.find((one) => one.messageId === messageId);
  // One agent writes one answer at a time: another id means that the former is over.
  if (!before) return { ...timeline, growing: [{ messageId, start: offset, text, since: at }] };
  const from = offset - before.start;
  // A piece is missing: what stands there stays, the whole comes with the message.
  if (from < 0 || from > before.text.length) return timeline;
  const next = before.text.slice(0, from) + text;
  // A piece that was sent again must not shorten what is shown.
  if (next.length <= before.text.length) return timeline;
  return { ...timeline, growing: [{ ...before, text: next }] };
}

function withAck(timeline: Timeline, ack: Extract<TimelineEvent, { type: 'acked' }>): Timeline {
  const { clientMessageId, message, at } = ack;
  const { messages } = timeline;
  return {
    ...timeline,
    // Its frames know more than the answer of the call that made it.
    messages:
      isKnown(timeline, message.id) || isAbove(timeline, message) ? messages : withMessage(messages, message),
    sentAs: { ...timeline.sentAs, [message.id]: clientMessageId },
    seen: withSeen(timeline.seen, message, at),
  };
}

/** Further up than what was read: paging will bring it, in its place and with those around it. */
function isAbove({ messages: [oldest], hasOlder }: Timeline, { seq }: Message): boolean {
  return hasOlder && oldest !== undefined && seq < oldest.seq;
}

export function isKnown({ messages }: Timeline, messageId: string): boolean {
  return messages.some(({ id }) => id === messageId);
}

/** Replaced or put where its seq belongs; `answered` is final and never taken back. */
function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  let index = messages.length;
  for (; index > 0; index -= 1) {
    const one = messages[index - 1];
    if (one === undefined || one.seq < message.seq) break;
    if (one.id !== message.id) continue;
    const isStale = one.state === 'answered' && message.state !== 'answered';
    return isStale ? messages : messages.with(index - 1, message);
  }
  return messages.toSpliced(index, 0, message);
}

/** The same for a whole page: one pass, however many there are. */
function withMessages(known: readonly Message[], fresh: readonly Message[]): readonly Message[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of fresh)
    if (byId.get(message.id)?.state !== 'answered' || message.state === 'answered')
      byId.set(message.id, message);
  return [...byId.values()].sort((a, b) => a.seq - b.seq);
}

function withSeen(seen: Timeline['seen'], { id, state }: Message, at: number): Timeline['seen'] {
  return seen[id]?.[state] === undefined ? { ...seen, [id]: { ...seen[id], [state]: at } } : seen;
}

function withoutFinished(growing: readonly Growing[], messages: readonly Message[]): readonly Growing[] {
  if (growing.length === 0) return growing;
  const rest = growing.filter(({ messageId }) => !messages.some(({ id }) => id === messageId));
  return rest.length === growing.length ? growing : rest;
}

/** Once a message is read, its frames change it where it stands. */
function withoutKnown(above: Timeline['above'], messages: readonly Message[]): Timeline['above'] {
  const rest = { ...above };
  for (const { id } of messages) delete rest[id];
  return rest;
}

function laterOf(
  messages: readonly Message[],
  syncedId: string | undefined,
  page: readonly Message[],
): string | undefined {
  const last = page.at(-1);
  if (!last) return syncedId;
  const synced = messages.find(({ id }) => id === syncedId);
  return synced && synced.seq > last.seq ? synced.id : last.id;
}

/**
 * Where a catch-up reads on: after the last synced message, or already before the oldest one whose state may have
 * changed meanwhile; when that one is the first of all, it is asked for by itself (`isFirstOpen`). Undefined: nothing
 * is known yet, from the newest page.
 */
export function catchUpFrom({
  messages,
  syncedId,
}: Timeline): { readonly after: string; readonly isFirstOpen: boolean } | undefined {
  const isOpen = ({ state, sender }: Message) =>
    sender === 'user' && (state === 'stored' || state === 'delivered');
  const recent = Math.max(0, messages.length - RECENT);
  const open = messages.findIndex(
    (message, index) => isOpen(message) || (index >= recent && message.state === 'failed'),
  );
  const synced = messages.findIndex(({ id }) => id === syncedId);
  if (synced < 0 || syncedId === undefined) return undefined;
  if (open < 0 || open > synced) return { after: syncedId, isFirstOpen: false };
  return { after: messages[Math.max(0, open - 1)]?.id ?? syncedId, isFirstOpen: open === 0 };
}

/** A failed message may be sent again from another tab; far up nobody looks for that. */
const RECENT = 50;
