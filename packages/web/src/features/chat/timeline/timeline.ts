import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';
import type { Step } from '@aizuchi/shared/contract/step';
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
import { withoutSteps, withStepFrame, withStepList } from './timeline-steps.ts';
import { withDelta } from './timeline-stream.ts';

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
  | { readonly type: 'step'; readonly messageId: string; readonly step: Step; readonly at: number }
  /** The steps of one answer, read by REST. */
  | {
      readonly type: 'steps';
      readonly messageId: string;
      readonly steps: readonly Step[];
      readonly revisionAtRequest: number;
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
  steps: {},
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
    case 'step':
      return withStepFrame(timeline, event);
    case 'steps':
      return withStepList(timeline, event);
    case 'acknowledged':
      return withAcknowledged(timeline, event);
    case 'discarded':
      return withoutSteps(
        {
          ...timeline,
          streaming: timeline.streaming.filter(({ messageId }) => messageId !== event.messageId),
        },
        [event.messageId],
      );
    case 'stream_abandoned':
      if (timeline.streaming.length === 0) return timeline;
      return withoutSteps(
        { ...timeline, streaming: [] },
        timeline.streaming.map(({ messageId }) => messageId),
      );
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
