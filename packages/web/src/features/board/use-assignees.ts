import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agentsQuery, membersQuery, meQuery } from '../../lib/queries/queries.ts';

/** Who can be given a task: the members, and an owner himself, who sees every project without being in it. */
export function usePeople(projectId: string) {
  const { data: me } = useQuery(meQuery());
  const { data: inProject } = useQuery(membersQuery(projectId));
  const { data: everybody } = useQuery(agentsQuery());
  const members = useMemo(() => {
    const list = inProject ?? [];
    const isAway = me?.accessLevel === 'owner' && !list.some(({ id }) => id === me.id);
    return isAway ? [...list, me] : list;
  }, [inProject, me]);
  /** Also who is not in the project any more but still has a task. */
  const nameable = useMemo(
    () => new Map<string, Agent>([...(everybody ?? []), ...members].map((agent) => [agent.id, agent])),
    [everybody, members],
  );
  return { members, nameable };
}
