import type { StartChatResult } from '@aizuchi/shared/contract/chat';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isTemporary } from '../../../lib/api/temporary-error.ts';
import { backoffMs } from '../../../lib/backoff.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { hasSessionFrame } from './session-frame.ts';
import { openings, unloadChat } from './viewer.ts';

/** Whether the server knows that this chat is open. */
export interface ChatOpening {
  readonly state: 'opening' | 'open' | 'refused';
  readonly warning?: StartChatResult['warning'];
  readonly error?: unknown;
}

const BACKOFF = { firstMs: 500, longestMs: 5_000 };

/** An open panel is a viewer: the agent's session is started when the panel opens and may end after it closes. */
export function useOpenChat(pid: string, aid: string, isEnabled: boolean): ChatOpening {
  const client = useQueryClient();
  const [opening, setOpening] = useState<ChatOpening>({ state: 'opening' });
  useEffect(
    () => (isEnabled ? keepOpen(client, pid, aid, setOpening) : undefined),
    [client, pid, aid, isEnabled],
  );
  return opening;
}

/** Opens the chat, retries while that fails temporarily; the returned function closes it. */
function keepOpen(
  client: QueryClient,
  pid: string,
  aid: string,
  onChange: (opening: ChatOpening) => void,
): () => void {
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = async (failures: number) => {
    try {
      const { warning } = await openings.open(pid, aid);
      // An earlier failure would look like the new state. Frames tell it sooner, and a read would only delay them.
      if (!(await hasSessionFrame(client, pid, aid)))
        await client.invalidateQueries({ queryKey: keys.agentSessions(pid) });
      if (!isClosed) onChange({ state: 'open', ...(warning !== undefined && { warning }) });
    } catch (error) {
      if (isClosed) return;
      if (!isTemporary(error)) {
        onChange({ state: 'refused', error });
        return;
      }
      timer = setTimeout(() => void open(failures + 1), backoffMs(failures, BACKOFF));
    }
  };
  // A failure of these two calls is not shown: the viewer's lease expires by itself.
  const onPageHide = () => void unloadChat(pid, aid).catch(() => undefined);
  const onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) void open(0);
  };
  window.addEventListener('pagehide', onPageHide);
  window.addEventListener('pageshow', onPageShow);
  void open(0);
  return () => {
    isClosed = true;
    clearTimeout(timer);
    window.removeEventListener('pagehide', onPageHide);
    window.removeEventListener('pageshow', onPageShow);
    void openings.close(pid, aid).catch(() => undefined);
  };
}
