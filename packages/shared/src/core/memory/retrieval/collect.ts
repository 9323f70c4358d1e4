import type { Corpus } from '../rules/bm25.ts';
import { sumOfTerms } from '../rules/index-terms.ts';
import type { Candidate, RankInput } from '../rules/rank-documents.ts';
import type { Collection } from './collection.ts';
import { askCollectors, type Index, type Legs, type Wanted } from './collectors.ts';
import type { DocumentRow } from './document-queries.ts';
import { countsIn, termsIn } from './find-documents.ts';

export interface Collected {
  readonly rank: RankInput;
  readonly rows: ReadonlyMap<number, DocumentRow>;
  /** How many each collector found. */
  readonly counts: Record<string, number>;
}

const NOTHING: Corpus = { documents: 0, meanLength: 0 };

/** What all collectors found in time, as the input of the ranking. */
export async function collect(index: Index, collection: Collection, wanted: Wanted): Promise<Collected> {
  const legs = await askCollectors(index, collection, wanted);
  const rows = rowsOf(legs);
  const asked = new Set(wanted.terms.map(({ hash }) => hash));
  const { agentId } = wanted.sight.scope;
  const candidates = [...rows.values()].map((row) => candidateOf(row, { agentId, asked, now: wanted.now }));
  const found = foundBy(legs, candidates, wanted.isRecall);
  const { words } = legs;
  return {
    rank: {
      corpus: words?.corpus ?? NOTHING,
      terms: words?.terms ?? [],
      candidates,
      neighbours: words?.neighbours ?? new Map(),
      text: wanted.text,
      found,
      ...(index.vectors !== undefined && { vectorWeight: index.vectors.weight }),
    },
    rows,
    counts: {
      ngram: words?.documents.length ?? 0,
      ...Object.fromEntries(Object.entries(found).map(([name, ids]) => [name, ids.length])),
    },
  };
}

/** Each document once, whichever collectors found it. */
function rowsOf({ near, words, lists, times, grown }: Legs): Map<number, DocumentRow> {
  const legs = [...times, ...Object.values(grown)].map((leg) => leg?.rows);
  const all = [near, words?.documents, ...legs, ...Object.values(lists)];
  return new Map(all.flatMap((rows) => (rows ?? []).map((row) => [row.id, row])));
}

/** What each collector but that of the words found, by its name. */
function foundBy(
  { near, lists, times, grown }: Legs,
  candidates: readonly Candidate[],
  isRecall: boolean,
): Record<string, number[]> {
  const known = new Map(candidates.map((one) => [one.id, one]));
  // A search for words does not list what holds none of them, only because it is new.
  const isFound = (id: number) => isRecall || (known.get(id)?.counts.size ?? 0) > 0;
  return {
    ...Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, (list ?? []).map(({ id }) => id).filter(isFound)]),
    ),
    ...(near !== null && { vector: near.map(({ id }) => id) }),
    about_time: [...new Set(times.flatMap((leg) => leg?.ids ?? []))].filter((id) => known.has(id)),
    // A leg that was not asked is not one that has found nothing.
    ...Object.fromEntries(Object.entries(grown).flatMap(([name, leg]) => (leg ? [[name, leg.ids]] : []))),
  };
}

function candidateOf(
  row: DocumentRow,
  { agentId, asked, now }: { agentId: string; asked: ReadonlySet<number>; now: Date },
): Candidate {
  const { id, length, createdAt, actor, validTo } = row;
  const hasEnded = validTo !== null && validTo <= now;
  const sum = sumOfTerms(agentId, createdAt, termsIn(row.terms));
  return { id, length, createdAt, actor, hasEnded, sum, counts: countsIn(row.terms, asked) };
}
