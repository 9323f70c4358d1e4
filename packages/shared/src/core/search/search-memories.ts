import type { Degradation, MemoryHit } from '../../contract/memory.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Memory } from '../memory/recall.ts';

export interface MemoriesOfAgents {
  readonly hits: ReadonlyMap<string, readonly MemoryHit[]>;
  readonly degraded: readonly Degradation[];
}

/** What a person waits for at most. */
const DEADLINE_MS = 1_500;
/** A memory service has few connections: of a house with many agents not all are asked at once. */
const MAX_AT_ONCE = 8;
/** Of each agent, and of all: each is read and marked after the deadline. */
const MAX_HITS = { each: 60, all: 600 };

/**
 * Searches the memories of these agents, some at the same time, with one deadline for all. An agent whose memory has not
 * answered by then is missing in the result, and the result says so.
 */
export async function searchMemories(
  { memory, logger, deadlineMs = DEADLINE_MS }: { memory: Memory; logger: Logger; deadlineMs?: number },
  { projectId, agentIds, query }: { projectId: string; agentIds: readonly string[]; query: string },
): Promise<MemoriesOfAgents> {
  const degraded = new Set<Degradation>();
  const hits = new Map<string, readonly MemoryHit[]>();
  const body = {
    query,
    limit: Math.min(MAX_HITS.each, Math.ceil(MAX_HITS.all / agentIds.length)),
    expand: false,
  };
  let isOver = false;
  const search = async (agentId: string) => {
    try {
      const found = await memory.search({ agentId, projectId }, body, { byRules: true });
      if (isOver) return;
      hits.set(agentId, found.items);
      for (const one of found.degraded) degraded.add(one);
    } catch (error) {
      logger.debug({ err: error, agentId }, 'a memory was not searched');
    }
  };
  const waiting = agentIds.values();
  const searches = Array.from({ length: MAX_AT_ONCE }, async () => {
    for (const agentId of waiting) {
      if (isOver) return;
      await search(agentId);
    }
  });
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, deadlineMs);
  await Promise.race([Promise.all(searches), late.promise]);
  clearTimeout(timer);
  isOver = true;
  if (agentIds.length > 0 && hits.size === 0) return { hits, degraded: ['memory_unavailable'] };
  if (hits.size < agentIds.length) degraded.add('collector_late');
  return { hits, degraded: [...degraded] };
}
