/** What one leg of retrieval found, the best first. */
export interface RankedLeg {
  readonly name: string;
  readonly weight: number;
  readonly ids: readonly number[];
}

export interface FusedHit {
  readonly id: number;
  readonly score: number;
  /** The names of the legs that found it. */
  readonly legs: readonly string[];
}

/** Small, so that the first places of a leg count much more than the later ones. */
const K = 20;

/** Reciprocal rank fusion: the best first, equals by their id, so that the order is always the same. */
export function fuse(legs: readonly RankedLeg[]): FusedHit[] {
  const hits = new Map<number, { score: number; legs: string[] }>();
  for (const { name, weight, ids } of legs)
    ids.forEach((id, index) => {
      const hit = hits.get(id) ?? { score: 0, legs: [] };
      hits.set(id, { score: hit.score + weight / (K + index + 1), legs: [...hit.legs, name] });
    });
  return [...hits].map(([id, hit]) => ({ id, ...hit })).sort((a, b) => b.score - a.score || b.id - a.id);
}
