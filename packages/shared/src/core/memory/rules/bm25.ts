/** The documents of one agent that a search sees. */
export interface Corpus {
  readonly documents: number;
  readonly meanLength: number;
}

export interface WeightedTerm {
  readonly hash: number;
  /** How many documents hold it. */
  readonly documents: number;
  readonly weight: number;
}

/**
 * Saturation of repeated terms, and how much a long document is held against it: low, as for short texts, and the best
 * on the half that is tuned on (docs/memory-evaluation.md).
 */
const K1 = 0.9;
const B = 0.4;

/** What a term says: the rarer, the more. Never negative, so that a term in most documents does no harm. */
export function idf(corpus: Corpus, documents: number): number {
  const total = Math.max(corpus.documents, documents);
  return Math.log(1 + (total - documents + 0.5) / (documents + 0.5));
}

/** BM25 of one document. `counts`: how often it holds a term. */
export function bm25(
  corpus: Corpus,
  terms: readonly WeightedTerm[],
  document: { readonly length: number; readonly counts: ReadonlyMap<number, number> },
): number {
  const long = 1 - B + (B * document.length) / Math.max(1, corpus.meanLength);
  let score = 0;
  for (const { hash, documents, weight } of terms) {
    const count = document.counts.get(hash);
    if (count !== undefined)
      score += (weight * idf(corpus, documents) * (count * (K1 + 1))) / (count + K1 * long);
  }
  return score;
}
