import type { Database } from '../../../platform/db/database.ts';
import { feelingsIn } from '../rules/growth/affect-words.ts';
import type { QueryTerm } from '../rules/index-terms.ts';
import type { TimeSpan } from '../rules/time-hint.ts';
import type { ReadingPlaces } from './bounded-queries.ts';
import type { Collection } from './collection.ts';
import type { Corpora } from './corpora.ts';
import { DocumentQueries, type DocumentRow, type Sight } from './document-queries.ts';
import { findDocuments } from './find-documents.ts';
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

export interface Index {
  readonly places: ReadingPlaces;
  readonly corpora: Corpora;
  readonly vectors?: VectorLeg | undefined;
}

/** Null: not asked, or late. */
export interface Legs {
  readonly near: DocumentRow[] | null;
  readonly words: Awaited<ReturnType<typeof findDocuments>> | null;
  /** Lists of what is newest or near by, whatever its words. */
  readonly lists: Record<'recent_states' | 'recent_events' | 'reply_chain', DocumentRow[] | null>;
  /** By a time that was named, and by one that the plan hints at. */
  readonly times: readonly (Leg | null)[];
  readonly grown: Record<'context_threads' | 'context_links' | 'affects', Leg | null>;
}

interface Leg {
  readonly ids: number[];
  readonly rows: DocumentRow[];
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
/** Asks all collectors at once; what is late is left behind. */
export async function askCollectors(
  { places, corpora, vectors }: Index,
  collection: Collection,
  wanted: Wanted,
): Promise<Legs> {
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
  const [near, words, states, events, chain, timed, told, threads, links, affects] = await Promise.all([
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
  return {
    near,
    words,
    lists: { recent_states: states, recent_events: events, reply_chain: chain },
    times: [timed, told],
    grown: { context_threads: threads, context_links: links, affects },
  };
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
