import { bm25, type Corpus, type WeightedTerm } from './bm25.ts';
import { type FusedHit, fuse, type RankedLeg } from './fuse.ts';
import type { QueryTerm } from './index-terms.ts';

/** A document that a collector found. */
export interface Candidate {
  readonly id: number;
  readonly length: number;
  readonly createdAt: Date;
  readonly actor: string | null;
  /** It was so, and is not any more. */
  readonly hasEnded: boolean;
  /** Equal for documents that say the same (index-terms.ts). */
  readonly sum: number;
  /** How often it holds each of its terms. */
  readonly counts: ReadonlyMap<number, number>;
}

export interface RankInput {
  readonly corpus: Corpus;
  readonly terms: readonly (QueryTerm & { readonly documents: number })[];
  readonly candidates: readonly Candidate[];
  /** What was said directly before and after. */
  readonly neighbours: ReadonlyMap<number, readonly number[]>;
  /** The question, to see whom it names. */
  readonly text: string;
  /** What the collectors found that do not look for words: ids in their order. */
  readonly found: Readonly<Record<string, readonly number[]>>;
  /** How much the vectors count: by the quality of what makes them. */
  readonly vectorWeight?: number;
}

/** A pair of characters says more than each of them. */
const SINGLE_WEIGHT = 0.5;
/** The share of the score of the turn before or after that a turn gets. */
const NEIGHBOUR_SHARE = 0.25;
const WEIGHTS = { words: 1, ngram: 1, neighbour: 1, actor: 0.5 } as const;
const FOUND_WEIGHTS: Readonly<Record<string, number>> = {
  about_time: 0.4,
  recent_states: 0.15,
  affects: 0.15,
  reply_chain: 0.1,
  context_threads: 0.08,
  context_links: 0.08,
  recent_events: 0.05,
};
/** The share of its score that a state keeps when it has ended: what is so now goes before what was so. */
const ENDED_SHARE = 0.5;
/** Within this share of its score a newer document that holds the same terms goes before an older one. */
const NEARLY_EQUAL = 0.1;

/** The candidates of a search, the best first, and by which legs they were found. */
export function rankDocuments(input: RankInput): FusedHit[] {
  const { corpus, candidates, neighbours } = input;
  const scored = (of: (term: QueryTerm) => boolean) => {
    const terms = input.terms.filter(of).map(weighted);
    return new Map(candidates.map((one) => [one.id, bm25(corpus, terms, one)]));
  };
  const words = scored(({ kind }) => kind === 'word');
  const grams = scored(({ kind }) => kind === 'gram');
  const total = (id: number) => (words.get(id) ?? 0) + (grams.get(id) ?? 0);
  const voted = new Map(candidates.map(({ id }) => [id, total(id)]));
  for (const [id, around] of neighbours)
    for (const neighbour of around) {
      const score = voted.get(neighbour);
      if (score !== undefined) voted.set(neighbour, score + NEIGHBOUR_SHARE * total(id));
    }
  const spoken = new Map(
    candidates
      .filter(({ actor }) => actor !== null && isNamedIn(actor, input.text))
      .map(({ id }) => [id, voted.get(id) ?? 0]),
  );
  const scoreOf = (id: number) => voted.get(id) ?? 0;
  const legs: RankedLeg[] = [
    leg('words', words),
    leg('ngram', grams),
    leg('neighbour', voted),
    leg('actor', spoken),
    ...Object.entries(input.found).map(([name, ids]) => ({
      name,
      weight: (name === 'vector' ? input.vectorWeight : FOUND_WEIGHTS[name]) ?? 0,
      // Of what was found by time alone the fitting come first.
      ids: name === 'about_time' ? ids.toSorted((a, b) => scoreOf(b) - scoreOf(a)) : ids,
    })),
  ];
  const byId = new Map(candidates.map((one) => [one.id, one]));
  const hits = fuse(legs.map((one) => ({ ...one, ids: one.ids.filter((id) => byId.has(id)) })));
  return repeatsLast(newerFirst(endedLater(hits, byId), byId, input.terms), byId);
}

/**
 * What says the same as a document before it goes behind all others: a question that was asked twenty times must not
 * push out what it asks for. The scores stay in their order.
 */
function repeatsLast(hits: readonly FusedHit[], byId: ReadonlyMap<number, Candidate>): FusedHit[] {
  const seen = new Set<string>();
  const isRepeat = ({ id }: FusedHit) => {
    const document = byId.get(id);
    if (document === undefined) return false;
    const key = `${document.actor} ${document.hasEnded} ${document.length} ${document.sum}`;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  };
  const { repeats = [], first = [] } = Object.groupBy(hits, (hit) => (isRepeat(hit) ? 'repeats' : 'first'));
  return [...first, ...repeats].map((hit, index) => ({ ...hit, score: hits[index]?.score ?? hit.score }));
}

function endedLater(hits: readonly FusedHit[], byId: ReadonlyMap<number, Candidate>): FusedHit[] {
  return hits
    .map((hit) => (byId.get(hit.id)?.hasEnded ? { ...hit, score: hit.score * ENDED_SHARE } : hit))
    .sort((a, b) => b.score - a.score || b.id - a.id);
}

function leg(name: keyof typeof WEIGHTS, scores: ReadonlyMap<number, number>): RankedLeg {
  const ids = [...scores]
    .filter(([, score]) => score > 0)
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a)
    .map(([id]) => id);
  return { name, weight: WEIGHTS[name], ids };
}

function weighted(term: QueryTerm & { documents: number }): WeightedTerm {
  const { hash, documents, kind, text } = term;
  return { hash, documents, weight: kind === 'gram' && text.length === 1 ? SINGLE_WEIGHT : 1 };
}

/** By its whole name or the first word of it: `Caroline` is meant by `Caroline's` and `Caroline Smith`. */
export function isNamedIn(actor: string, text: string): boolean {
  const [asked, name] = [text, actor].map((one) => one.normalize('NFKC').toLowerCase());
  if (asked === undefined || name === undefined) return false;
  return [name, name.split(/[\s・]/)[0] ?? ''].some((one) => {
    if (one.length < 2) return false;
    if (!/^[\p{Script=Latin}\d]+$/u.test(one)) return asked.includes(one);
    return new RegExp(`(?<![\\p{L}\\d])${one}(?![\\p{L}\\d])`, 'u').test(asked);
  });
}

/**
 * Of documents that answer the same nearly equally well the newer one first: what was said later is right. The scores
 * stay in their order.
 */
function newerFirst(
  hits: readonly FusedHit[],
  byId: ReadonlyMap<number, Candidate>,
  terms: readonly QueryTerm[],
): FusedHit[] {
  const known = new Map(
    [...byId].map(([id, { counts }]) => [
      id,
      terms
        .filter(({ hash }) => counts.has(hash))
        .map(({ hash }) => hash)
        .join(),
    ]),
  );
  const isReplaced = (above: FusedHit, hit: FusedHit) => {
    const [older, newer] = [byId.get(above.id), byId.get(hit.id)];
    return (
      older !== undefined &&
      newer !== undefined &&
      hit.score >= above.score * (1 - NEARLY_EQUAL) &&
      older.actor === newer.actor &&
      (older.hasEnded || !newer.hasEnded) &&
      known.get(above.id) === known.get(hit.id) &&
      older.createdAt < newer.createdAt
    );
  };
  const sorted: FusedHit[] = [];
  for (const hit of hits) {
    let place = sorted.length;
    for (
      let above = sorted[place - 1];
      above !== undefined && isReplaced(above, hit);
      above = sorted[place - 1]
    )
      place -= 1;
    sorted.splice(place, 0, hit);
  }
  return sorted.map((hit, index) => ({ ...hit, score: hits[index]?.score ?? hit.score }));
}
