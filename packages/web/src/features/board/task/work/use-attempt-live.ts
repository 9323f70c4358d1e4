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

/**
 * What an agent does, or has done, in an attempt, and its steps in the form in which the components of the chat read those of
 * an answer. `reads`: they are read now and after each gap; otherwise when a person opens them.
 */
export function useAttemptLive(
  { projectId, taskId, n }: AttemptName,
  reads: boolean,
): { readonly live: AttemptLive; readonly steps: ChatSteps } {
  const [live] = useState(() => new Store<AttemptLive>(NOTHING_LIVE));
  const [opened] = useState(() => new Store<Readonly<Record<string, boolean>>>({}));
  const read = useCallback(async () => {
    const { revision } = live.get();
    const { steps } = await callApi('listAttemptSteps', { params: { tid: taskId, n } });
    live.set(withAttemptList(live.get(), steps, revision));
  }, [live, taskId, n]);
  const readAgain = useCallback(() => {
    // A failure that passes: the next gap reads again, and each frame brings its step.
    if (reads || live.get().steps.isRead) void read().catch(() => undefined);
  }, [reads, live, read]);
  useEffect(readAgain, [readAgain]);
  useProjectFrames(
    projectId,
    (frame) => {
      if (frame.type === 'task_step' && frame.taskId === taskId && frame.attempt === n)
        live.set(withAttemptStep(live.get(), frame.step, Date.now()));
      if (reads && frame.type === 'task_delta' && frame.taskId === taskId)
        live.set(withAttemptText(live.get(), frame));
    },
    readAgain,
  );
  return { live: useStore(live), steps: useMemo(() => ({ read, opened }), [read, opened]) };
}
