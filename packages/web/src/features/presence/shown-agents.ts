import type { AvatarState } from '../../components/Avatar.tsx';

/** Which agents are shown first when there is no room for all. */
const PRIORITY: Readonly<Record<AvatarState, number>> = {
  waiting: 4,
  failed: 3,
  working: 2,
  starting: 2,
  queued: 2,
  ready: 1,
  none: 0,
};

/**
 * At most `most` agents in their original order, so that agents which stay in the list do not move. The open one is
 * always among them.
 */
export function shownAgents<T extends { readonly id: string }>(
  agents: readonly T[],
  most: number,
  openId: string | undefined,
  stateOf: (agent: T) => AvatarState,
): { readonly shown: readonly T[]; readonly rest: readonly T[] } {
  const priorityOf = (agent: T) =>
    agent.id === openId ? Number.POSITIVE_INFINITY : PRIORITY[stateOf(agent)];
  const chosen = new Set(agents.toSorted((a, b) => priorityOf(b) - priorityOf(a)).slice(0, most));
  return { shown: agents.filter((one) => chosen.has(one)), rest: agents.filter((one) => !chosen.has(one)) };
}
