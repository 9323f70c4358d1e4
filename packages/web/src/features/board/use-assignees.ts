import type { Agent } from '@aizuchi/shared/contract/agent';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agentsQuery, membersQuery, meQuery } from '../../lib/queries/queries.ts';

/** Who may be assigned a task: the members, and an owner, who sees every project without being a member. */
export function useAssignees(projectId: string) {
  const { data: me } = useQuery(meQuery());
  const { data: inProject } = useQuery(membersQuery(projectId));
  const { data: agents } = useQuery(agentsQuery());
  const members = useMemo(() => {
    const list = inProject ?? [];
    const isMissing = me?.accessLevel === 'owner' && !list.some(({ id }) => id === me.id);
    return isMissing ? [...list, me] : list;
  }, [inProject, me]);
  /** By id; also those who left the project but still have a task. */
  const namedAgents = useMemo(
    () => new Map<string, Agent>([...(agents ?? []), ...members].map((agent) => [agent.id, agent])),
    [agents, members],
  );
  return { members, namedAgents };
}
