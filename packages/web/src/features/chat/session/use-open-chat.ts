import type { StartChatResult } from '@aizuchi/shared/contract/chat';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../lib/api/api-error.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { closeChat, openChat, unloadChat } from './viewer.ts';

export interface Opening {
  readonly state: 'opening' | 'open' | 'refused';
  readonly warning?: StartChatResult['warning'];
  readonly error?: unknown;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 5_000;

/** An open panel is a viewer: it wakes the agent when it opens and lets it go when it closes. */
export function useOpening(pid: string, aid: string, isWanted: boolean): Opening {
  const client = useQueryClient();
  const [opening, setOpening] = useState<Opening>({ state: 'opening' });
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = async (failures: number) => {
      try {
        const { warning } = await openChat(pid, aid);
        // What the agent does is asked for after the start, or an old failure would look like the new state.
        await client.invalidateQueries({ queryKey: keys.agentSessions(pid) });
        if (!isOver) setOpening({ state: 'open', ...(warning !== undefined && { warning }) });
      } catch (error) {
        if (isOver) return;
        const isPassing = error instanceof ApiError && (error.isPassing || error.code === 'rate_limited');
        if (!isPassing) {
          setOpening({ state: 'refused', error });
          return;
        }
        timer = setTimeout(
          () => void open(failures + 1),
          Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS),
        );
      }
    };
    // Nobody is there to be told when these two fail; the viewer's lease runs out by itself.
    const onPageHide = () => void unloadChat(pid, aid).catch(() => undefined);
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void open(0);
    };
    window.addEventListener('pagehide', onPageHide);
    window.addEventListener('pageshow', onPageShow);
    void open(0);
    return () => {
      isOver = true;
      clearTimeout(timer);
      window.removeEventListener('pagehide', onPageHide);
      window.removeEventListener('pageshow', onPageShow);
      void closeChat(pid, aid).catch(() => undefined);
    };
  }, [client, pid, aid, isWanted]);
  return opening;
}
