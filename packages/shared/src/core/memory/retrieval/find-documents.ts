import { type Corpus, idf } from '../rules/bm25.ts';
import type { QueryTerm } from '../rules/index-terms.ts';
import type { Corpora } from './corpora.ts';
import type { DocumentQueries, DocumentRow, Posting, Sight } from './document-queries.ts';

/** What is found by its words. */
export interface FoundDocuments {
  readonly corpus: Corpus;
  readonly terms: readonly CountedTerm[];
  readonly documents: readonly DocumentRow[];
  readonly neighbours: ReadonlyMap<number, readonly number[]>;
}

export type CountedTerm = QueryTerm & { readonly documents: number };

/** A term that more documents hold says little: it counts in what other terms find, and with another such term. */
const MAX_POSTINGS = 300;
/** Of common terms so many are looked up in pairs, and so many documents of each pair. */
const MAX_PAIRED = 4;
const MAX_PER_PAIR = 200;
/** Without a rarer term so many of the newest documents are looked through for common ones, and so many are taken. */
const MAX_NEWEST_LOOKED_AT = 3_000;
const MAX_NEWEST = 300;
/** The documents of which the exact score is computed. */
const MAX_SCORED = 150;
/** The best of which the turns before and after are looked at. */
const MAX_WITH_NEIGHBOURS = 40;

/** Asks the index for the terms, and computes which documents are the best. */
export async function findDocuments(
  queries: DocumentQueries,
  corpora: Corpora,
  sight: Sight,
  terms: readonly QueryTerm[],
): Promise<FoundDocuments> {
  const [corpus, postings] = await Promise.all([
    corpora.of(sight.scope, () => queries.corpus(sight.scope)),
    terms.length === 0
      ? []
      : queries.postings(
          sight,
          terms.map(({ hash }) => hash),
          MAX_POSTINGS,
        ),
  ]);
  const lists = new Map(postings.map((posting) => [posting.hash, idsOf(posting)]));
  const counted = terms.map((term) => ({
    ...term,
    documents: countOf(lists.get(term.hash)?.length ?? 0, corpus),
  }));
  const isCut = ({ hash }: QueryTerm) => (lists.get(hash)?.length ?? 0) >= MAX_POSTINGS;
  const scores = firstScores(
    corpus,
    counted.filter((term) => !isCut(term)),
    lists,
  );
  await addCommon(queries, sight, corpus, counted.filter(isCut), scores);
  if (scores.size === 0) for (const [id, score] of firstScores(corpus, counted, lists)) scores.set(id, score);
  const best = [...scores]
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a)
    .slice(0, MAX_SCORED)
    .map(([id]) => id);
  if (best.length === 0) return { corpus, terms: counted, documents: [], neighbours: new Map() };
  const [documents, beside] = await Promise.all([
    queries.byIds(best),
    queries.neighboursOf(sight, best.slice(0, MAX_WITH_NEIGHBOURS)),
  ]);
  const neighbours = new Map<number, number[]>();
  for (const { of, id } of beside) neighbours.set(of, [...(neighbours.get(of) ?? []), id]);
  return { corpus, terms: counted, documents: [...documents, ...beside], neighbours };
}

/** By how rare the terms are that a document holds. */
function firstScores(
  corpus: Corpus,
  terms: readonly CountedTerm[],
  lists: ReadonlyMap<number, readonly number[]>,
): Map<number, number> {
  const scores = new Map<number, number>();
  for (const { hash, documents } of terms) {
    const weight = idf(corpus, documents);
    for (const id of lists.get(hash) ?? []) scores.set(id, (scores.get(id) ?? 0) + weight);
  }
  return scores;
}

/** Of terms that many documents hold: what holds two of them, and the newest, when no rarer term has found anything. */
async function addCommon(
  queries: DocumentQueries,
  sight: Sight,
  corpus: Corpus,
  cut: readonly CountedTerm[],
  scores: Map<number, number>,
): Promise<void> {
  const isAlone = scores.size === 0 && cut.length > 0;
  const hashes = cut.map(({ hash }) => hash);
  const [newest] = await Promise.all([
    isAlone ? queries.newestHolding(sight, hashes, MAX_NEWEST_LOOKED_AT, MAX_NEWEST) : [],
    addPairs(queries, sight, corpus, cut, scores),
  ]);
  const weight = idf(corpus, cut[0]?.documents ?? 0);
  for (const id of newest) scores.set(id, (scores.get(id) ?? 0) + weight);
}

/** Of terms that many documents hold, those that hold two of them: the index finds these without the others. */
async function addPairs(
  queries: DocumentQueries,
  sight: Sight,
  corpus: Corpus,
  cut: readonly CountedTerm[],
  scores: Map<number, number>,
): Promise<void> {
  // A single character says too little.
  const telling = cut.filter(({ kind, text }) => kind === 'word' || text.length > 1).slice(0, MAX_PAIRED);
  const pairs = telling.flatMap((a, index) =>
    telling.slice(index + 1).map((b): [number, number] => [a.hash, b.hash]),
  );
  if (pairs.length === 0) return;
  const weight = idf(corpus, telling[0]?.documents ?? 0);
  for (const { id, pairs: count } of await queries.holdingBoth(sight, pairs, MAX_PER_PAIR)) {
    // So many pairs are made by so many terms.
    const terms = (1 + Math.sqrt(1 + 8 * count)) / 2;
    scores.set(id, (scores.get(id) ?? 0) + weight * terms);
  }
}

/** Of a term whose list was cut only the least is known: in the middle between that and all of them. */
function countOf(found: number, { documents }: Corpus): number {
  return found < MAX_POSTINGS ? found : Math.round(Math.sqrt(found * Math.max(found, documents)));
}

function idsOf({ ids }: Posting): number[] {
  return ids === null ? [] : ids.slice(1, -1).split(',').map(Number);
}

/** Of each of the asked terms how often it stands in an `array_send` of integers. */
export function countsIn(terms: Buffer, asked: ReadonlySet<number>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const hash of termsIn(terms)) if (asked.has(hash)) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

/** The integers of an `array_send`. */
export function* termsIn(terms: Buffer): Generator<number> {
  // A header of five integers, then for each element its length and itself.
  for (let offset = 24; offset + 4 <= terms.length; offset += 8) yield terms.readInt32BE(offset);
}
