import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../lib/queries/queries.ts';

export interface MemoryRights {
  readonly isOwner: boolean;
  /** What belongs to no project is changed by owners only. */
  readonly mayChange: (item: { readonly projectId?: string | undefined }) => boolean;
}

export function useMemoryRights(): MemoryRights {
  const { data: me } = useQuery(meQuery());
  const isOwner = me?.accessLevel === 'owner';
  const canWrite = me !== undefined && me.accessLevel !== 'viewer';
  return { isOwner, mayChange: ({ projectId }) => isOwner || (canWrite && projectId !== undefined) };
}
