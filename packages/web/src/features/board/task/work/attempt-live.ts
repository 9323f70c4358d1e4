import type { Step } from '@aizuchi/shared/contract/step';
import { type AnswerSteps, NO_STEPS, withList, withStep } from '../../../chat/steps/answer-steps.ts';

/** What this tab knows of an attempt at a task: its steps, and what the agent writes now. */
export interface AttemptLive {
  readonly steps: AnswerSteps;
  /** Of the turn that wrote last. */
  readonly text: { readonly messageId: string; readonly start: number; readonly text: string } | undefined;
  /** Counts the frames of steps: a list that was requested before one does not undo it. */
  readonly revision: number;
}

export const NOTHING_LIVE: AttemptLive = { steps: NO_STEPS, text: undefined, revision: 0 };

export function withAttemptStep(live: AttemptLive, step: Step, at: number): AttemptLive {
  const revision = live.revision + 1;
  return { ...live, revision, steps: withStep(live.steps, step, at, revision) };
}

export function withAttemptList(
  live: AttemptLive,
  listed: readonly Step[],
  revisionAtRequest: number,
): AttemptLive {
  return { ...live, steps: withList(live.steps, listed, revisionAtRequest) };
}

/** A piece may be repeated. Behind a missing one the text begins anew: what is left out stands in the log of the run. */
export function withAttemptText(
  live: AttemptLive,
  { messageId, text, offset }: { readonly messageId: string; readonly text: string; readonly offset: number },
): AttemptLive {
  const before = live.text;
  const from = before === undefined ? -1 : offset - before.start;
  if (before?.messageId !== messageId || from < 0 || from > before.text.length)
    return { ...live, text: { messageId, start: offset, text } };
  const next = before.text.slice(0, from) + text;
  return next.length <= before.text.length ? live : { ...live, text: { ...before, text: next } };
}
