import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Project } from '@aizuchi/shared/contract/project';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { meQuery, projectQuery } from './queries.ts';

export interface WriteAccess {
  readonly canWrite: boolean;
  /** Why the person cannot write, once that is known. */
  readonly isReadOnly?: 'viewer' | 'archived';
}

/** Whether the signed-in person may change this project. */
export function useWriteAccess(projectId: string): WriteAccess {
  const { data: me } = useQuery(meQuery());
  const { data: project } = useQuery(projectQuery(projectId));
  return accessOf(me, project);
}

/** The same from what was read before; false while that is not known. */
export function knowsWriteAccess(client: QueryClient, projectId: string): boolean {
  const me = client.getQueryData(meQuery().queryKey);
  const project = client.getQueryData(projectQuery(projectId).queryKey);
  return project !== undefined && accessOf(me, project).canWrite;
}

function accessOf(me: Agent | undefined, project: Pick<Project, 'status'> | undefined): WriteAccess {
  if (me?.accessLevel === 'viewer') return { canWrite: false, isReadOnly: 'viewer' };
  if (project?.status === 'archived') return { canWrite: false, isReadOnly: 'archived' };
  return { canWrite: me !== undefined };
}
