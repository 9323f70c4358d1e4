/** An agent or a person as a file names it. */
export interface NamedAgent {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/**
 * Who is meant here by the agents of a file: the one of the same kind and name; of several with this name the one with
 * this id, or none. Nobody here is meant twice.
 */
export function matchAgents(named: readonly NamedAgent[], here: readonly NamedAgent[]): Map<string, string> {
  const byName = Map.groupBy(here, keyOf);
  const matches = new Map<string, string>();
  const taken = new Set<string>();
  const take = (of: string, agent: NamedAgent | undefined) => {
    if (!agent || taken.has(agent.id)) return;
    matches.set(of, agent.id);
    taken.add(agent.id);
  };
  for (const agent of named)
    take(
      agent.id,
      byName.get(keyOf(agent))?.find(({ id }) => id === agent.id),
    );
  for (const agent of named) {
    if (matches.has(agent.id)) continue;
    const [only, ...others] = byName.get(keyOf(agent)) ?? [];
    if (others.length === 0) take(agent.id, only);
  }
  return matches;
}

function keyOf({ kind, name }: NamedAgent): string {
  return `${kind} ${name}`;
}
