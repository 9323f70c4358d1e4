import { preloadChat } from '../features/chat/chat-preload.ts';
import { openings } from '../features/chat/session/viewer.ts';
import {
  agentSessionsQuery,
  agentsQuery,
  approvalsQuery,
  membersQuery,
  meQuery,
  projectQuery,
  questionsQuery,
  tasksQuery,
  unreadQuery,
} from '../lib/queries/queries.ts';
import { queryClient } from '../lib/queries/query-client.ts';
import { knowsWriteAccess } from '../lib/queries/use-write-access.ts';

/**
 * Requests the data of a page while its code is still being loaded. Nothing waits for the data here, and failures are
 * ignored: the page requests it again and shows them.
 */
export async function preloadProject(
  projectId: string,
  agentId: string | undefined,
  cause: 'enter' | 'stay' | 'preload',
): Promise<void> {
  // Before everything that is only read: an agent that sleeps is started by it.
  if (agentId !== undefined && cause !== 'preload' && knowsWriteAccess(queryClient, projectId))
    openings.openEarly(projectId, agentId);
  void queryClient.prefetchQuery(projectQuery(projectId));
  void queryClient.prefetchQuery(membersQuery(projectId));
  void queryClient.prefetchQuery(agentSessionsQuery(projectId));
  void queryClient.prefetchQuery(unreadQuery(projectId));
  void queryClient.prefetchQuery(meQuery());
  if (agentId === undefined) return;
  void queryClient.prefetchInfiniteQuery(questionsQuery(projectId, agentId));
  void queryClient.prefetchInfiniteQuery(approvalsQuery(projectId, agentId));
  await preloadChat(projectId, agentId, cause);
}

export function preloadBoard(projectId: string): void {
  void queryClient.prefetchQuery(tasksQuery(projectId));
  void queryClient.prefetchQuery(agentsQuery());
}
