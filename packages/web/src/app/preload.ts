import { preloadChat } from '../features/chat/chat-preload.ts';
import {
  agentSessionsQuery,
  agentsQuery,
  membersQuery,
  meQuery,
  projectQuery,
  questionsQuery,
  tasksQuery,
  unreadQuery,
} from '../lib/queries/queries.ts';
import { queryClient } from '../lib/queries/query-client.ts';

/**
 * Asks for what a page will read while its code is still on the way. Nobody waits for data here, and nothing is told
 * of a failure: the page asks again and shows it.
 */
export async function preloadProject(
  projectId: string,
  agentId: string | undefined,
  isOnlyIntent: boolean,
): Promise<void> {
  void queryClient.prefetchQuery(projectQuery(projectId));
  void queryClient.prefetchQuery(membersQuery(projectId));
  void queryClient.prefetchQuery(agentSessionsQuery(projectId));
  void queryClient.prefetchQuery(unreadQuery(projectId));
  void queryClient.prefetchQuery(meQuery());
  if (agentId === undefined) return;
  void queryClient.prefetchInfiniteQuery(questionsQuery(projectId));
  await preloadChat(projectId, agentId, !isOnlyIntent);
}

export function preloadBoard(projectId: string): void {
  void queryClient.prefetchQuery(tasksQuery(projectId));
  void queryClient.prefetchQuery(agentsQuery());
}
