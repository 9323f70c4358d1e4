import type { Step } from '@aizuchi/shared/contract/step';
import { NO_STEPS, withList, withStep } from '../steps/answer-steps.ts';
import { isKnown } from './timeline-messages.ts';
import type { Timeline } from './timeline-state.ts';

/** Diffs are large: of more answers than this the steps are dropped, and read again when they are opened. */
const KEPT_ANSWERS = 20;

/** A step of an answer that grows, or that is stored and whose steps this tab has. */
export function withStepFrame(
  timeline: Timeline,
  event: { readonly messageId: string; readonly step: Step; readonly at: number },
): Timeline {
  const { messageId, step, at } = event;
  const known = timeline.steps[messageId];
  // Only the last one of a stored answer: it would look like all of them.
  if (!known && isKnown(timeline, messageId)) return timeline;
  const revision = timeline.revision + 1;
  const steps = { ...timeline.steps, [messageId]: withStep(known ?? NO_STEPS, step, at, revision) };
  return withGrowing({ ...timeline, revision, steps }, messageId, at);
}

export function withStepList(
  timeline: Timeline,
  event: {
    readonly messageId: string;
    readonly steps: readonly Step[];
    readonly revisionAtRequest: number;
    readonly at: number;
  },
): Timeline {
  const { messageId, revisionAtRequest, at } = event;
  const list = withList(timeline.steps[messageId] ?? NO_STEPS, event.steps, revisionAtRequest);
  return withGrowing({ ...timeline, steps: { ...timeline.steps, [messageId]: list } }, messageId, at);
}

export function withoutSteps(timeline: Timeline, messageIds: readonly string[]): Timeline {
  const kept = Object.entries(timeline.steps).filter(([id]) => !messageIds.includes(id));
  return { ...timeline, steps: Object.fromEntries(kept) };
}

/** An answer without a text yet has a row from its first step on. */
function withGrowing(timeline: Timeline, messageId: string, at: number): Timeline {
  const isGrowing = timeline.streaming.some((one) => one.messageId === messageId);
  if (isGrowing || isKnown(timeline, messageId)) return withoutOld(timeline);
  const answer = { messageId, start: 0, text: '', since: at };
  return withoutOld({ ...timeline, streaming: [...timeline.streaming, answer] });
}

function withoutOld(timeline: Timeline): Timeline {
  const ids = Object.keys(timeline.steps);
  if (ids.length <= KEPT_ANSWERS) return timeline;
  const isGrowing = (id: string) => timeline.streaming.some(({ messageId }) => messageId === id);
  const oldest = ids.find((id) => !isGrowing(id));
  return oldest === undefined ? timeline : withoutSteps(timeline, [oldest]);
}
