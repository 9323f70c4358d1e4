import { useCallback, useEffect, useMemo, useState } from 'react';
import { callApi } from '../../../../lib/api/call-api.ts';
import { useProjectFrames } from '../../../../lib/live/live.tsx';
import { Store, useStore } from '../../../../lib/store.ts';
import type { ChatSteps } from '../../../chat/steps/chat-steps.tsx';
import {
  type AttemptLive,
  NOTHING_LIVE,
  withAttemptList,
  withAttemptStep,
  withAttemptText,
} from './attempt-live.ts';

interface AttemptName {
  readonly projectId: string;
  readonly taskId: string;
  readonly n: number;
}

/** The steps of an attempt, in the form in which the components of the chat read those of an answer. */
export function useAttemptSteps({ taskId, n }: AttemptName): {
  readonly live: Store<AttemptLive>;
  readonly steps: ChatSteps;
} {
  const [live] = useState(() => new Store<AttemptLive>(NOTHING_LIVE));
  const [opened] = useState(() => new Store<Readonly<Record<string, boolean>>>({}));
  const read = useCallback(async () => {
    const { revision } = live.get();
    const { steps } = await callApi('listAttemptSteps', { params: { tid: taskId, n } });
    live.set(withAttemptList(live.get(), steps, revision));
  }, [live, taskId, n]);
  return { live, steps: useMemo(() => ({ read, opened }), [read, opened]) };
}

/** What the agent does now in this attempt, while it does it. */
export function useAttemptLive(name: AttemptName): { readonly live: AttemptLive; readonly steps: ChatSteps } {
  const { live, steps } = useAttemptSteps(name);
  const { read } = steps;
  // Temporary failures: the next gap reads again, and each frame brings its step.
  const readAgain = useCallback(() => void read('').catch(() => undefined), [read]);
  useEffect(readAgain, [readAgain]);
  useProjectFrames(
    name.projectId,
    (frame) => {
      if (frame.type === 'task_step' && frame.taskId === name.taskId && frame.attempt === name.n)
        live.set(withAttemptStep(live.get(), frame.step, Date.now()));
      if (frame.type === 'task_delta' && frame.taskId === name.taskId)
        live.set(withAttemptText(live.get(), frame));
    },
    readAgain,
  );
  return { live: useStore(live), steps };
}
