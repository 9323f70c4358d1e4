import type { Database } from '../../../platform/db/database.ts';
import type { Corpus } from '../rules/bm25.ts';
import { feelingsIn } from '../rules/growth/affect-words.ts';
import { type QueryTerm, sumOfTerms } from '../rules/index-terms.ts';
import type { Candidate, RankInput } from '../rules/rank-documents.ts';
import type { TimeSpan } from '../rules/time-hint.ts';
import type { ReadingPlaces } from './bounded-queries.ts';
import type { Collection } from './collection.ts';
import type { Corpora } from './corpora.ts';
import { DocumentQueries, type DocumentRow, type Sight } from './document-queries.ts';
import { countsIn, findDocuments, termsIn } from './find-documents.ts';
import { type AboutHint, GrownQueries } from './grown-queries.ts';
import type { VectorLeg } from './vector-leg.ts';

export interface Wanted {
  readonly sight: Sight;
  /** The instant that is looked at. */
  readonly now: Date;
  readonly text: string;
  readonly terms: readonly QueryTerm[];
  readonly spans: readonly TimeSpan[];
  /** What time the plan hints at. */
  readonly about: AboutHint;
  /** What was said last is a candidate for an answer, not for a search. */
  readonly isRecall: boolean;
  readonly vectorMs: number;
  readonly eventId: string | null;
}

export interface Collected {
  readonly rank: RankInput;
  readonly rows: ReadonlyMap<number, DocumentRow>;
  /** How many each collector found. */
  readonly counts: Record<string, number>;
}

const DEADLINES_MS = {
  ngram: 600,
  reply_chain: 200,
  recent_events: 250,
  recent_states: 250,
  about_time: 400,
  context_threads: 350,
  context_links: 350,
  affects: 350,
};
const MAX = {
  vector: 100,
  reply_chain: 20,
  recent_events: 50,
  recent_states: 40,
  about_time: 120,
  grown: 80,
};
/** Of a named time this many are looked at, to take those that fit. */
const MAX_WITHIN_SPANS = 2_000;
const NOTHING: Corpus = { documents: 0, meanLength: 0 };

export interface Index {
  readonly places: ReadingPlaces;
  readonly corpora: Corpora;
  readonly vectors?: VectorLeg | undefined;
}

/** Asks all collectors at once; what is late is left behind. */
export async function collect(
  { places, corpora, vectors }: Index,
  collection: Collection,
  wanted: Wanted,
): Promise<Collected> {
  const { sight, now, terms, spans, about, isRecall, eventId, vectorMs } = wanted;
  const deadlines = { ...DEADLINES_MS, vector: vectorMs };
  collection.beginCollectors();
  const within = <T>(
    name: keyof typeof deadlines,
    work: (database: Pick<Database, 'statement'>) => Promise<T>,
  ) => collection.collect(name, deadlines[name], (signal) => work(places.of(sight.scope.agentId, signal)));
  const run = <T>(name: keyof typeof deadlines, work: (reads: DocumentQueries) => Promise<T>) =>
    within(name, (database) => work(new DocumentQueries(database)));
  const skipped = Promise.resolve(null);
  const grown = (
    name: 'about_time' | 'context_threads' | 'context_links' | 'affects',
    isWanted: boolean,
    work: (reads: GrownQueries) => Promise<number[]>,
  ) =>
    isWanted
      ? within(name, async (reads) => {
          const ids = await work(new GrownQueries(reads));
          return { ids, rows: await new DocumentQueries(reads).byIds(ids) };
        })
      : skipped;
  const felt = feelingsIn(wanted.text);
  const isAbout = about.yearStart !== null || about.yearEnd !== null || about.lifeStage !== '';
  const turn = eventId ?? '';
  const [near, found, states, events, chain, timed, told, threads, links, affects] = await Promise.all([
    vectors === undefined ? skipped : within('vector', (reads) => nearest(reads, vectors, wanted)),
    run('ngram', (reads) => findDocuments(reads, corpora, sight, terms)),
    run('recent_states', (reads) => reads.newestStates(sight, MAX.recent_states, now)),
    isRecall ? run('recent_events', (reads) => reads.newestEvents(sight, MAX.recent_events)) : skipped,
    eventId === null
      ? skipped
      : run('reply_chain', (reads) => reads.replyChain(sight, eventId, MAX.reply_chain)),
    spans.length === 0
      ? skipped
      : run('about_time', async (reads) => {
          const ids = await reads.within(sight, spans, MAX_WITHIN_SPANS);
          return { ids, rows: await reads.byIds(ids.slice(0, MAX.about_time)) };
        }),
    grown('about_time', isAbout, (reads) => reads.about(sight, about, MAX.grown)),
    grown('context_threads', eventId !== null, (reads) => reads.threads(sight, turn, MAX.grown)),
    grown('context_links', eventId !== null, (reads) => reads.links(sight, turn, MAX.grown)),
    grown('affects', felt.length > 0, (reads) => reads.affects(sight, felt, MAX.grown)),
  ]);
  const more = { context_threads: threads, context_links: links, affects };
  const lists = { recent_states: states, recent_events: events, reply_chain: chain };
  const rows = new Map<number, DocumentRow>();
  const grownRows = Object.values(more).map((leg) => leg?.rows);
  for (const list of [near, found?.documents, timed?.rows, told?.rows, ...grownRows, ...Object.values(lists)])
    for (const row of list ?? []) rows.set(row.id, row);
  const asked = new Set(terms.map(({ hash }) => hash));
  const { agentId } = sight.scope;
  const candidates = [...rows.values()].map((row) => candidateOf(row, { agentId, asked, now }));
  const known = new Map(candidates.map((one) => [one.id, one]));
  // A search for words does not list what holds none of them, only because it is new.
  const isFound = (id: number) => isRecall || (known.get(id)?.counts.size ?? 0) > 0;
  const ofLegs = {
    ...Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, (list ?? []).map(({ id }) => id).filter(isFound)]),
    ),
    ...(near !== null && { vector: near.map(({ id }) => id) }),
    about_time: [...new Set([...(timed?.ids ?? []), ...(told?.ids ?? [])])].filter((id) => known.has(id)),
    // A leg that was not asked is not one that has found nothing.
    ...Object.fromEntries(Object.entries(more).flatMap(([name, leg]) => (leg ? [[name, leg.ids]] : []))),
  };
  return {
    rank: {
      corpus: found?.corpus ?? NOTHING,
      terms: found?.terms ?? [],
      candidates,
      neighbours: found?.neighbours ?? new Map(),
      text: wanted.text,
      found: ofLegs,
      ...(vectors !== undefined && { vectorWeight: vectors.weight }),
    },
    rows,
    counts: {
      ngram: found?.documents.length ?? 0,
      ...Object.fromEntries(Object.entries(ofLegs).map(([name, ids]) => [name, ids.length])),
    },
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

async function nearest(
  reads: Pick<Database, 'statement'>,
  vectors: VectorLeg,
  wanted: Wanted,
): Promise<DocumentRow[]> {
  const { sight, text } = wanted;
  const ids = await vectors.find({ sight, text, limit: MAX.vector, reads });
  const place = new Map(ids.map((id, index) => [id, index]));
  const placeOf = ({ eventId, stateId }: DocumentRow) => place.get(eventId ?? stateId ?? '') ?? 0;
  const rows = await new DocumentQueries(reads).byItems(sight, ids);
  return rows.sort((a, b) => placeOf(a) - placeOf(b));
}
