import type { Step } from '@aizuchi/shared/contract/step';

/** What is known of the steps of one answer, merged from frames and from the list (REST). */
export interface AnswerSteps {
  /** In the order of their first reports. */
  readonly steps: readonly Step[];
  /** By step id: what this tab observed. The server keeps no times of steps. */
  readonly times: Readonly<Record<string, StepTime>>;
  /** By step id: the revision of the timeline at its last frame. A list that was requested earlier does not undo it. */
  readonly revisions: Readonly<Record<string, number>>;
  /** A list was read: no step before it is missing. */
  readonly isRead: boolean;
}

/** Epoch milliseconds. Without `from` the step began before this tab listened. */
interface StepTime {
  readonly from?: number;
  readonly to?: number;
}

export const NO_STEPS: AnswerSteps = { steps: [], times: {}, revisions: {}, isRead: false };

/** A frame: the step in its current state. Repeated frames change nothing. */
export function withStep(known: AnswerSteps, step: Step, at: number, revision: number): AnswerSteps {
  const index = known.steps.findIndex(({ id }) => id === step.id);
  const time = known.times[step.id] ?? (index < 0 && step.status === 'running' ? { from: at } : {});
  const isOver = step.status !== 'running';
  const next = isOver && time.from !== undefined && time.to === undefined ? { ...time, to: at } : time;
  return {
    ...known,
    steps: index < 0 ? [...known.steps, step] : known.steps.with(index, step),
    times: { ...known.times, [step.id]: next },
    revisions: { ...known.revisions, [step.id]: revision },
  };
}

/** The list as it was at `revisionAtRequest`: later frames win, and steps that it does not have are newer. */
export function withList(
  known: AnswerSteps,
  listed: readonly Step[],
  revisionAtRequest: number,
): AnswerSteps {
  const byId = new Map(known.steps.map((step) => [step.id, step]));
  const isNewer = ({ id }: Step) => (known.revisions[id] ?? -1) > revisionAtRequest;
  const merged = listed.map((step) => {
    const one = byId.get(step.id);
    return one && isNewer(one) ? one : step;
  });
  const names = new Set(listed.map(({ id }) => id));
  const rest = known.steps.filter((step) => !names.has(step.id) && isNewer(step));
  return { ...known, steps: [...merged, ...rest], isRead: true };
}

/** How long a step took, or has been running; undefined where this tab did not see it begin. */
export function stepMs({ times }: Pick<AnswerSteps, 'times'>, id: string, now: number): number | undefined {
  const { from, to } = times[id] ?? {};
  return from === undefined ? undefined : (to ?? now) - from;
}
