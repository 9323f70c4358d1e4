import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';
import {
  isKnown,
  isNotLoaded,
  laterSyncedId,
  mergedMessages,
  withMessage,
  withoutComplete,
  withoutLoaded,
} from './timeline-messages.ts';

/**
 * What is known of one chat, merged from pages (REST), frames (socket), deltas and acknowledged messages, which
 * arrive in any order and more than once:
 *   T1 each message is in the list once, ordered by seq.
 *   T2 everything between the oldest page and `syncedId` is in the list; beyond it, where only frames add messages,
 *      there may be holes until the next catch-up, which therefore always starts at `syncedId`.
 *   T3 a page that was requested before a frame arrived does not undo what the frame said, also when the message was
 *      not loaded yet at that time.
 */
export interface Timeline {
  readonly messages: readonly Message[];
  readonly isLoaded: boolean;
  readonly hasOlder: boolean;
  /** The newest message that a page brought: up to here nothing is missing. */
  readonly syncedId: string | undefined;
  /** Answers that are being written. */
  readonly streaming: readonly StreamedAnswer[];
  /** By message id: the clientMessageId with which this tab sent it, so that its row stays the same element. */
  readonly sentAs: Readonly<Record<string, string>>;
  /** By message id: when this tab learned of each state, for the receipt. */
  readonly stateTimes: Readonly<Record<string, StateTimes>>;
  /** Counts the frames; a page carries the revision at which it was requested. */
  readonly revision: number;
  /** By message id: the revision of its latest frame. */
  readonly lastFrameRevision: Readonly<Record<string, number>>;
  /** By message id: the latest frame of messages that are older than the oldest loaded one. */
  readonly notLoaded: Readonly<Record<string, Message>>;
}

/** Epoch milliseconds by state. */
export type StateTimes = Readonly<Partial<Record<Message['state'], number>>>;

export interface StreamedAnswer {
  readonly messageId: string;
  /** Not 0 when its beginning was written before this tab listened. */
  readonly start: number;
  readonly text: string;
  /** Epoch milliseconds of its first delta. */
  readonly since: number;
}

export type TimelineEvent =
  | {
      readonly type: 'page';
      /** refresh: single messages as they are now; it says nothing about their neighbours. */
      readonly kind: 'newest' | 'older' | 'newer' | 'refresh';
      readonly page: MessagePage;
      readonly revisionAtRequest: number;
    }
  | { readonly type: 'frame'; readonly message: Message; readonly at: number }
  | {
      readonly type: 'delta';
      readonly messageId: string;
      readonly text: string;
      readonly offset: number;
      readonly at: number;
    }
  | {
      readonly type: 'acknowledged';
      readonly clientMessageId: string;
      readonly message: Message;
      readonly at: number;
    }
  /** The streamed answer becomes no message. */
  | { readonly type: 'discarded'; readonly messageId: string }
  /** The agent is no longer writing: the streamed answer will not be completed. */
  | { readonly type: 'stream_abandoned' };

type EventOf<T extends TimelineEvent['type']> = Extract<TimelineEvent, { type: T }>;

export const EMPTY_TIMELINE: Timeline = {
  messages: [],
  isLoaded: false,
  hasOlder: false,
  syncedId: undefined,
  streaming: [],
  sentAs: {},
  stateTimes: {},
  revision: 0,
  lastFrameRevision: {},
  notLoaded: {},
};

export function reduceTimeline(timeline: Timeline, event: TimelineEvent): Timeline {
  switch (event.type) {
    case 'page':
      return withPage(timeline, event);
    case 'frame':
      return withFrame(timeline, event);
    case 'delta':
      return withDelta(timeline, event);
    case 'acknowledged':
      return withAcknowledged(timeline, event);
    case 'discarded':
      return {
        ...timeline,
        streaming: timeline.streaming.filter(({ messageId }) => messageId !== event.messageId),
      };
    case 'stream_abandoned':
      return timeline.streaming.length === 0 ? timeline : { ...timeline, streaming: [] };
  }
}

function withPage(timeline: Timeline, { kind, page, revisionAtRequest }: EventOf<'page'>): Timeline {
  const [first] = page.messages;
  const minSeq = kind === 'newest' && page.hasMore ? (first?.seq ?? 0) : 0;
  const known = minSeq > 0 ? timeline.messages.filter(({ seq }) => seq >= minSeq) : timeline.messages;
  const fresh = page.messages.flatMap((message) => {
    const isStale = (timeline.lastFrameRevision[message.id] ?? 0) > revisionAtRequest;
    return isStale ? (timeline.notLoaded[message.id] ?? []) : message;
  });
  const messages = mergedMessages(known, fresh);
  return {
    ...timeline,
    messages,
    notLoaded: withoutLoaded(timeline.notLoaded, messages),
    isLoaded: timeline.isLoaded || kind === 'newest',
    hasOlder: kind === 'newest' || kind === 'older' ? page.hasMore : timeline.hasOlder,
    syncedId:
      kind === 'older' || kind === 'refresh'
        ? timeline.syncedId
        : laterSyncedId(messages, timeline.syncedId, page.messages),
    streaming: withoutComplete(timeline.streaming, messages),
  };
}

function withFrame(timeline: Timeline, { message, at }: EventOf<'frame'>): Timeline {
  const revision = timeline.revision + 1;
  const stateTimes = withStateTime(timeline.stateTimes, message, at);
  const lastFrameRevision = { ...timeline.lastFrameRevision, [message.id]: revision };
  if (!isKnown(timeline, message.id)) {
    if (!message.visible) return { ...timeline, revision, stateTimes };
    if (isNotLoaded(timeline, message)) {
      const notLoaded = { ...timeline.notLoaded, [message.id]: message };
      return { ...timeline, revision, stateTimes, lastFrameRevision, notLoaded };
    }
  }
  const messages = withMessage(timeline.messages, message);
  return {
    ...timeline,
    messages,
    revision,
    lastFrameRevision,
    stateTimes,
    streaming: withoutComplete(timeline.streaming, messages),
  };
}

function withDelta(timeline: Timeline, { messageId, text, offset, at }: EventOf<'delta'>): Timeline {
  if (isKnown(timeline, messageId)) return timeline;
  const before = timeline.streaming.find((one) => one.messageId === messageId);
  // One agent writes one answer at a time: another id means that the earlier answer is over.
  if (!before) return { ...timeline, streaming: [{ messageId, start: offset, text, since: at }] };
  const from = offset - before.start;
  // A delta is missing: the text stays as it is, the whole comes with the message.
  if (from < 0 || from > before.text.length) return timeline;
  const next = before.text.slice(0, from) + text;
  // A repeated delta must not shorten the text.
  if (next.length <= before.text.length) return timeline;
  return { ...timeline, streaming: [{ ...before, text: next }] };
}

function withAcknowledged(timeline: Timeline, event: EventOf<'acknowledged'>): Timeline {
  const { clientMessageId, message, at } = event;
  const { messages } = timeline;
  // The frames of a message are newer than the response to the call that stored it.
  const hasFrame = isKnown(timeline, message.id) || isNotLoaded(timeline, message);
  return {
    ...timeline,
    messages: hasFrame ? messages : withMessage(messages, message),
    sentAs: { ...timeline.sentAs, [message.id]: clientMessageId },
    stateTimes: withStateTime(timeline.stateTimes, message, at),
  };
}

function withStateTime(
  times: Timeline['stateTimes'],
  { id, state }: Message,
  at: number,
): Timeline['stateTimes'] {
  return times[id]?.[state] === undefined ? { ...times, [id]: { ...times[id], [state]: at } } : times;
}
