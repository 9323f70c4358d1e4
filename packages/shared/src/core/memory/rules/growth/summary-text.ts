import { tokensOf } from '../tokens.ts';
import { isQuestion, sentencesOf } from './sentences.ts';

export interface SummarisedEvent {
  readonly id: string;
  readonly text: string;
}

const MOST_SENTENCES = 5;
const LONGEST = 600;

/**
 * The sentences that say most of what these events have in common, in the order of the events; '' if there is none. The
 * same events give the same text.
 */
export function summaryOf(events: readonly SummarisedEvent[]): {
  readonly text: string;
  readonly evidence: string[];
} {
  const all = events.flatMap(({ id, text }) =>
    sentencesOf(text)
      .filter((sentence) => !isQuestion(sentence))
      .map((sentence) => ({ id, sentence, terms: new Set(tokensOf(sentence).map((token) => token.text)) })),
  );
  const counts = new Map<string, number>();
  for (const { terms } of all) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const scored = all.map((one, index) => ({ ...one, index, score: scoreOf(one.terms, counts) }));
  const best: typeof scored = [];
  let length = 0;
  const seen = new Set<string>();
  for (const one of scored.toSorted((a, b) => b.score - a.score || b.index - a.index)) {
    if (seen.has(one.sentence) || length + one.sentence.length > LONGEST) continue;
    seen.add(one.sentence);
    best.push(one);
    length += one.sentence.length + 1;
    if (best.length === MOST_SENTENCES) break;
  }
  const chosen = best.toSorted((a, b) => a.index - b.index);
  return {
    text: chosen.map(({ sentence }) => sentence).join('\n'),
    evidence: [...new Set(chosen.map(({ id }) => id))],
  };
}

/** How much of it the others say too, by the length: a long sentence is not better for its length. */
function scoreOf(terms: ReadonlySet<string>, counts: ReadonlyMap<string, number>): number {
  if (terms.size < 3) return 0;
  const sum = [...terms].reduce((total, term) => total + Math.log(1 + (counts.get(term) ?? 0)), 0);
  return sum / Math.sqrt(terms.size);
}
