import { useQuery } from '@tanstack/react-query';
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
  if (me?.accessLevel === 'viewer') return { canWrite: false, isReadOnly: 'viewer' };
  if (project?.status === 'archived') return { canWrite: false, isReadOnly: 'archived' };
  return { canWrite: me !== undefined };
}
