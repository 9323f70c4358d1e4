/** What one search found, before the lists of all searches become one. */
export interface FoundHit {
  /** The same thing has the same key in every list. */
  readonly key: string;
  /** How much of the query its text holds, 0 to 1. */
  readonly coverage: number;
  readonly createdAt: Date;
  readonly hitSources: readonly string[];
}

/** As in the fusion of the legs of one memory (core/memory/rules/fuse.ts). */
const K = 20;
/** A text that holds less than this share of what the best one holds is noise. */
const MIN_SHARE = 1 / 3;
/** These find what fits although it holds no word of the query. */
const LEGS_WITHOUT_WORDS: ReadonlySet<string> = new Set(['vector', 'about_time']);

/**
 * The hits of several searches, the best first. The scores of two searches cannot be compared, so the place in its list
 * is what counts; of equals the one that holds more of the query, then the newer one, is first. What was found twice is
 * there once, with the legs of both.
 */
export function mergeHits<T extends FoundHit>(lists: readonly (readonly T[])[]): (T & { score: number })[] {
  const best = Math.max(0, ...lists.flat().map(({ coverage }) => coverage));
  const isRelevant = ({ coverage, hitSources }: T) =>
    (coverage > 0 && coverage >= best * MIN_SHARE) || hitSources.some((leg) => LEGS_WITHOUT_WORDS.has(leg));
  const merged = new Map<string, T & { score: number }>();
  for (const list of lists)
    list.filter(isRelevant).forEach((hit, index) => {
      const score = 1 / (K + index + 1);
      const known = merged.get(hit.key);
      const first = known === undefined || score > known.score ? { ...hit, score } : known;
      const hitSources = [...new Set([...(known?.hitSources ?? []), ...hit.hitSources])];
      merged.set(hit.key, { ...first, hitSources });
    });
  return [...merged.values()].sort(
    (a, b) =>
      b.score - a.score ||
      b.coverage - a.coverage ||
      b.createdAt.getTime() - a.createdAt.getTime() ||
      (a.key < b.key ? -1 : 1),
  );
}
