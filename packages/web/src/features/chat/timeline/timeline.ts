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
import type { Timeline } from './timeline-state.ts';

export type { StreamedAnswer, Timeline } from './timeline-state.ts';

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
