import { isKnown } from './timeline-messages.ts';
import type { Timeline } from './timeline-state.ts';

/** A piece of the text of an answer that is being written. Pieces may be repeated, and one may be missing. */
export function withDelta(
  timeline: Timeline,
  delta: { readonly messageId: string; readonly text: string; readonly offset: number; readonly at: number },
): Timeline {
  const { messageId, text, offset, at } = delta;
  if (isKnown(timeline, messageId)) return timeline;
  const before = timeline.streaming.find((one) => one.messageId === messageId);
  if (before === undefined || before.text === '') {
    const answer = { messageId, start: offset, text, since: before?.since ?? at };
    // Another one may wait for a person meanwhile. When it is over, the server tells those who are connected; at the latest it
    // is removed when the agent stops writing.
    const others = timeline.streaming.filter((one) => one.messageId !== messageId);
    return { ...timeline, streaming: [...others, answer] };
  }
  const from = offset - before.start;
  // A delta is missing: the text stays as it is, the whole comes with the message.
  if (from < 0 || from > before.text.length) return timeline;
  const next = before.text.slice(0, from) + text;
  // A repeated delta must not shorten the text.
  if (next.length <= before.text.length) return timeline;
  const streaming = timeline.streaming.map((one) => (one === before ? { ...before, text: next } : one));
  return { ...timeline, streaming };
}
