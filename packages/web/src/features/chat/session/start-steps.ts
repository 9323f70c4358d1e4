import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { useEffect, useState } from 'react';

/** The steps of a start as the server reports them: waiting for a Coordinator, starting the process, signing in. */
export const START_STEPS = ['queued', 'picked_up', 'sign_in', 'ready'] as const;
export type StartStep = (typeof START_STEPS)[number];

/** When this tab saw each step begin, epoch milliseconds. */
export type StepTimes = Readonly<Partial<Record<StartStep, number>>>;

export function stepOf(session: AgentSessionView | undefined): StartStep | undefined {
  if (session?.chatStatus === 'queued') return 'queued';
  if (session?.chatStatus !== 'starting') return undefined;
  switch (session.phase) {
    case 'picked_up':
    case 'sign_in':
      return session.phase;
    // Before its process can begin.
    case 'pulling':
      return 'picked_up';
    default:
      return 'queued';
  }
}

/** A step before the recorded ones means that the start began again. */
export function withStep(times: StepTimes, step: StartStep, at: number): StepTimes {
  if (times[step] !== undefined) return times;
  const index = START_STEPS.indexOf(step);
  const isAnew = START_STEPS.slice(index + 1).some((later) => times[later] !== undefined);
  return isAnew ? { [step]: at } : { ...times, [step]: at };
}

/** How long a step took, or has taken so far; undefined when it was not observed or has not begun. */
export function stepMs(times: StepTimes, step: StartStep, now: number): number | undefined {
  const from = times[step];
  if (from === undefined || step === 'ready') return undefined;
  const later = START_STEPS.slice(START_STEPS.indexOf(step) + 1);
  const until = later.map((one) => times[one]).find((at) => at !== undefined);
  return Math.max(0, (until ?? now) - from);
}

export function firstTime(times: StepTimes): number | undefined {
  return START_STEPS.map((step) => times[step]).find((at) => at !== undefined);
}

export function useStartTimes(session: AgentSessionView | undefined): StepTimes {
  const [times, setTimes] = useState<StepTimes>({});
  const step = stepOf(session);
  const since = session?.since;
  useEffect(() => {
    if (step === undefined) {
      setTimes({});
      return;
    }
    const now = Date.now();
    // The first observed step may have begun before the panel opened. Never in the future: clocks may differ.
    const began = since === undefined ? now : Math.min(now, Date.parse(since));
    setTimes((times) => withStep(times, step, firstTime(times) === undefined ? began : now));
  }, [step, since]);
  return times;
}
