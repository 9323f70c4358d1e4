import { useQuery } from '@tanstack/react-query';
import { meQuery, projectQuery } from './queries.ts';

export interface WriteAccess {
  readonly canWrite: boolean;
  /** Why not, once it is known. */
  readonly isReadOnly?: 'viewer' | 'archived';
}

/** Whether this person may change something in this project now. */
export function useWriteAccess(projectId: string): WriteAccess {
  const { data: me } = useQuery(meQuery());
  const { data: project } = useQuery(projectQuery(projectId));
  if (me?.accessLevel === 'viewer') return { canWrite: false, isReadOnly: 'viewer' };
  if (project?.status === 'archived') return { canWrite: false, isReadOnly: 'archived' };
  return { canWrite: me !== undefined };
}
