/** "Waits for" or "is part of": from a task to the tasks that it points at. */
export type TaskGraph = ReadonlyMap<string, readonly string[]>;

/**
 * Whether the edges `from` → `to` would close a circle in this graph. An edge from a task to itself is a
 * circle.
 */
export function closesCycle(graph: TaskGraph, from: string, to: readonly string[]): boolean {
  const open = [...to];
  const seen = new Set<string>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === from) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(graph.get(id) ?? []));
  }
  return false;
}

/** A task that stands in a circle of this graph, or leads into one; undefined: there is none. */
export function findCircle(graph: TaskGraph): string | undefined {
  const waits = new Map<string, number>();
  const pointedAtBy = new Map<string, string[]>();
  for (const [from, targets] of graph) {
    waits.set(from, targets.length);
    for (const to of targets) {
      const known = pointedAtBy.get(to);
      if (known) known.push(from);
      else pointedAtBy.set(to, [from]);
    }
  }
  // Takes away what points at nothing, again and again; a circle is what stays.
  const free = [...pointedAtBy.keys()].filter((id) => !graph.has(id));
  for (const [id, count] of waits) if (count === 0) free.push(id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    waits.delete(id);
    for (const from of pointedAtBy.get(id) ?? []) {
      const left = (waits.get(from) ?? 0) - 1;
      waits.set(from, left);
      if (left === 0) free.push(from);
    }
  }
  return waits.keys().next().value;
}
