import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';

/** Not longer than a person waits for a list; the frames of one start of an agent come within it. */
const WITHIN_MS = 300;

const waiting = new WeakMap<QueryClient, Set<string>>();

/**
 * Invalidates them once for all frames of the next moment: the start of a run is three changes of it, and each read
 * would compete with the start for the processor.
 */
export function invalidateSoon(client: QueryClient, queryKey: QueryKey): void {
  const keys = waiting.get(client) ?? new Set();
  waiting.set(client, keys);
  const hash = hashKey(queryKey);
  if (keys.has(hash)) return;
  keys.add(hash);
  setTimeout(() => {
    keys.delete(hash);
    void client.invalidateQueries({ queryKey });
  }, WITHIN_MS);
}
