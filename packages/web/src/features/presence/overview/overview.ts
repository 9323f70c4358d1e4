import type { Overview } from '@aizuchi/shared/contract/chat';

export type OverviewAgent = Overview['agents'][number];

export function agentsIn(overview: Overview | undefined, projectId: string): readonly OverviewAgent[] {
  return overview?.agents.filter((agent) => agent.projectId === projectId) ?? [];
}

export function unreadIn(agents: readonly OverviewAgent[]): number {
  return agents.reduce((sum, { unread }) => sum + unread, 0);
}

const SAID = ['busy', 'waiting_for_person', 'failed'] as const;

/** How many work, wait for a person and have failed; nothing about the others. */
export function countsOf(agents: readonly OverviewAgent[]) {
  return SAID.map((state) => ({
    state,
    count: agents.filter((agent) => agent.state === state).length,
  })).filter(({ count }) => count > 0);
}

const RANKS: Partial<Record<OverviewAgent['state'], number>> = { failed: 3, waiting_for_person: 3, busy: 2 };

/** The agents that say most, in the order of the list among equals. */
export function mostTelling(agents: readonly OverviewAgent[], most: number): readonly OverviewAgent[] {
  const rankOf = ({ state, unread }: OverviewAgent) => (RANKS[state] ?? 0) * 2 + (unread > 0 ? 1 : 0);
  return agents.toSorted((a, b) => rankOf(b) - rankOf(a)).slice(0, most);
}

const NOW = ['waiting_for_person', 'failed', 'busy', 'starting', 'queued'] as const;

/** Who waits for the person, then who has failed, works, and waits for its turn; the longest first. */
export function nowOf(agents: readonly OverviewAgent[]): readonly OverviewAgent[] {
  return NOW.flatMap((state) =>
    agents
      .filter((agent) => agent.state === state)
      .toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since)),
  );
}

/** The chat that a person most likely wants: one with something unread, first of this project, else the one that says most. */
export function chatToOpen(
  agents: readonly OverviewAgent[],
  projectId: string | undefined,
): OverviewAgent | undefined {
  const own = agents.filter((agent) => agent.projectId === projectId);
  const first = (some: readonly OverviewAgent[]) => mostTelling(some, 1)[0];
  const firstUnread = (some: readonly OverviewAgent[]) => first(some.filter(({ unread }) => unread > 0));
  return firstUnread(own) ?? firstUnread(agents) ?? first(own) ?? first(agents);
}
