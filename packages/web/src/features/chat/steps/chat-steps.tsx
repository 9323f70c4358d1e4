import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { callApi } from '../../../lib/api/call-api.ts';
import { useProjectFrames } from '../../../lib/live/live.tsx';
import { Store, useStore } from '../../../lib/store.ts';
import type { ChatFeed } from '../timeline/chat-feed.ts';
import { isKnown } from '../timeline/timeline-messages.ts';

/** What the step lines of one chat share. A row that is scrolled away leaves the document: what is open stands here. */
export interface ChatSteps {
  /** Reads the steps of an answer by REST. Throws ApiError. */
  readonly read: (messageId: string) => Promise<void>;
  /** By key of a line: whether a person has opened or closed it. */
  readonly opened: Store<Readonly<Record<string, boolean>>>;
}

const ChatStepsContext = createContext<ChatSteps | undefined>(undefined);
export const ChatStepsProvider = ChatStepsContext.Provider;

/** Reads the steps of what the session is writing, where this tab has not seen all of them. */
export function useChatSteps(
  feed: ChatFeed,
  pid: string,
  aid: string,
  session: AgentSessionView | undefined,
): ChatSteps {
  const [opened] = useState(() => new Store<Readonly<Record<string, boolean>>>({}));
  const read = useCallback(
    async (messageId: string) => {
      const { revision } = feed.timeline.get();
      const { steps } = await callApi('listSteps', { params: { pid, aid, mid: messageId } });
      feed.apply({ type: 'steps', messageId, steps, revisionAtRequest: revision, at: Date.now() });
    },
    [feed, pid, aid],
  );
  useReadGrowing(feed, session, read);
  useProjectFrames(pid, IGNORED, () => {
    // Frames may have been missed: also of steps that are known.
    for (const { messageId, conversationId } of session?.growing ?? [])
      if (conversationId === undefined) void read(messageId).catch(() => undefined);
  });
  return useMemo(() => ({ read, opened }), [read, opened]);
}

/** The chat itself applies them to its feed. */
const IGNORED = () => undefined;

/** Frames of the same moment may still be on their way: the list is read only if they do not come. */
const FRAMES_WITHIN_MS = 300;

function useReadGrowing(
  feed: ChatFeed,
  session: AgentSessionView | undefined,
  read: (messageId: string) => Promise<void>,
): void {
  const { isLoaded } = useStore(feed.timeline);
  const growing = session?.growing;
  useEffect(() => {
    if (!isLoaded || !growing) return;
    const timer = setTimeout(() => {
      const timeline = feed.timeline.get();
      for (const { messageId, steps, conversationId } of growing) {
        const known = timeline.steps[messageId]?.steps.length ?? 0;
        if (conversationId !== undefined || known >= steps || isKnown(timeline, messageId)) continue;
        // It is handed in or discarded meanwhile, or the next state of the session tries again.
        void read(messageId).catch(() => undefined);
      }
    }, FRAMES_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [feed, isLoaded, growing, read]);
}

export function useStepReader(): ChatSteps['read'] {
  return useShared().read;
}

/** Whether the line is open, and how to change that. */
export function useOpened(key: string, byDefault = false): [isOpen: boolean, toggle: () => void] {
  const { opened } = useShared();
  const isOpen = useStore(opened)[key] ?? byDefault;
  return [isOpen, () => opened.set({ ...opened.get(), [key]: !isOpen })];
}

function useShared(): ChatSteps {
  const shared = useContext(ChatStepsContext);
  if (!shared) throw new Error('ChatStepsProvider is missing.');
  return shared;
}
