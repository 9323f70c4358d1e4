import type { Project } from '@aizuchi/shared/contract/project';
import { useQueries, useQuery } from '@tanstack/react-query';
import { projectsQuery, unreadQuery } from '../../lib/queries/queries.ts';

export interface InboxItem {
  readonly project: Project;
  readonly agentId: string;
  readonly unread: number;
}

const POLL_MS = 15_000;

/** Unread messages over all projects. The socket tells of the open project at once, of the others this asks. */
export function useInbox(): { readonly items: readonly InboxItem[]; readonly error: Error | null } {
  const { data: projects = [], error } = useQuery(projectsQuery());
  const active = projects.filter((project) => project.status !== 'archived');
  return useQueries({
    queries: active.map((project) => ({ ...unreadQuery(project.id), refetchInterval: POLL_MS })),
    combine: (results) => ({
      error,
      items: results.flatMap(({ data }, index) => {
        const project = active[index];
        if (!project || !data) return [];
        return Object.entries(data)
          .filter(([, unread]) => unread > 0)
          .map(([agentId, unread]) => ({ project, agentId, unread }));
      }),
    }),
  });
}
