import { dotAt } from './vectors.ts';

/** The same said twice in other words, and something else that shares words with the first. */
export interface ParaphraseVectors {
  readonly text: Float32Array;
  readonly paraphrase: Float32Array;
  readonly distractor: Float32Array;
}

const MIN_WEIGHT = 0.2;
/** A model that finds fewer counts least, one that finds more counts as much as the words. */
const RANGE = { from: 0.3, to: 0.9 };

/** The share of texts to which no other text is nearer than their paraphrase. */
export function paraphrasesFound(pairs: readonly ParaphraseVectors[]): number {
  const found = pairs.filter(({ text, paraphrase, distractor }) => {
    const similarity = dotAt(text, paraphrase, 0);
    const others = pairs.flatMap((pair) =>
      pair.text === text ? [distractor] : [pair.text, pair.paraphrase, pair.distractor],
    );
    return others.every((other) => dotAt(text, other, 0) < similarity);
  });
  return found.length / Math.max(1, pairs.length);
}

/** How much vectors count against 1 of the words: 1:1 with a weak model finds less than the words alone. */
export function vectorWeight(found: number): number {
  const share = (found - RANGE.from) / (RANGE.to - RANGE.from);
  return MIN_WEIGHT + (1 - MIN_WEIGHT) * Math.min(1, Math.max(0, share));
}
