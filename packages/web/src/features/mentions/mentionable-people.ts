import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Mentionable } from '@aizuchi/shared/core/mentions/rules/find-mentions';
import { useQuery } from '@tanstack/react-query';
import { createContext, useMemo } from 'react';
import { agentsQuery, membersQuery } from '../../lib/queries/queries.ts';

/** Whom the messages below may mention; a message draws their names as chips. */
export const MentionableContext = createContext<readonly Mentionable[]>([]);

/** Who reads the chats of a project: its members, and the owners, as far as this person sees them. */
export function useMentionable(projectId: string): readonly Agent[] {
  const { data: members } = useQuery(membersQuery(projectId));
  const { data: agents } = useQuery(agentsQuery());
  return useMemo(() => {
    const known = new Set(members?.map(({ id }) => id));
    const owners = agents?.filter(({ id, accessLevel }) => accessLevel === 'owner' && !known.has(id));
    return [...(members ?? []), ...(owners ?? [])];
  }, [members, agents]);
}
