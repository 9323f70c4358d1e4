import type { MemoryScope } from '../memory-scope.ts';
import type { Corpus } from '../rules/bm25.ts';

/** From how many documents on a count is kept, how long, and how many counts. */
const LARGE = 2_000;
const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

/**
 * How many documents there are to search in. To count ten thousand takes as long as to find something in them; of a
 * large memory the count of the last minute is as good, for only the ranking depends on it. For the same reason those
 * that are too late for a search count too.
 */
export class Corpora {
  readonly #kept = new Map<string, { corpus: Corpus; countedAt: number }>();

  async of({ agentId, projectId }: MemoryScope, count: () => Promise<Corpus>): Promise<Corpus> {
    const key = `${agentId} ${projectId}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && performance.now() - kept.countedAt < KEPT_MS) return kept.corpus;
    const corpus = await count();
    if (corpus.documents < LARGE) return corpus;
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { corpus, countedAt: performance.now() });
    return corpus;
  }
}
