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
