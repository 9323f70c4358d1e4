import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { agentSessionsQuery, membersQuery, projectsQuery } from '../../../lib/queries/queries.ts';

/** Its key begins with the list's key, so that invalidating the list invalidates it, too. */
export const agentQuery = (aid: string) =>
  queryOptions({
    queryKey: [...keys.agents, aid] as const,
    queryFn: ({ signal }) => callApi('getAgent', { params: { aid }, signal }),
  });

/**
 * The projects of an agent or person, as far as the reader may see them, and the others. One whose members are not known
 * yet is in neither.
 */
export function useProjectsOf(aid: string) {
  const { data = [], isLoading, error } = useQuery(projectsQuery());
  const members = useQueries({ queries: data.map((project) => membersQuery(project.id)) });
  const where = (isMember: boolean) =>
    data.filter((_project, index) => members[index]?.data?.some(({ id }) => id === aid) === isMember);
  return {
    projects: where(true),
    others: where(false),
    isLoading: isLoading || members.some((query) => query.isLoading),
    error: error ?? members.find((query) => query.error)?.error,
  };
}

/** Pages outside of a project get no frames of it, so the sessions are polled. */
const POLL_MS = 3_000;

/** The agent's session in each of these projects, by project id. */
export function useSessionsOf(aid: string, projectIds: readonly string[]) {
  const sessions = useQueries({
    queries: projectIds.map((id) => ({ ...agentSessionsQuery(id), refetchInterval: POLL_MS })),
  });
  return new Map(projectIds.map((id, index) => [id, sessions[index]?.data?.[aid]]));
}
