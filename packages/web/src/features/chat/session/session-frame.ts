import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../../../lib/queries/keys.ts';

type Sessions = Readonly<Record<string, AgentSessionView>>;

export const FRAME_WITHIN_MS = 300;

/** Whether what is known of the agent's session changes within FRAME_WITHIN_MS. */
export function hasSessionFrame(client: QueryClient, pid: string, aid: string): Promise<boolean> {
  const now = () => client.getQueryData<Sessions>(keys.agentSessions(pid))?.[aid];
  const before = now();
  return new Promise((resolve) => {
    const finish = (isThere: boolean) => {
      clearTimeout(timer);
      unsubscribe();
      resolve(isThere);
    };
    const timer = setTimeout(() => finish(false), FRAME_WITHIN_MS);
    const unsubscribe = client.getQueryCache().subscribe(() => {
      if (now() !== before) finish(true);
    });
  });
}
