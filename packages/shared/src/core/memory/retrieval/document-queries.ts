import type { Database } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';
import type { Corpus } from '../rules/bm25.ts';
import type { TimeSpan } from '../rules/time-hint.ts';

/** Which documents a search may see. */
export interface Sight {
  readonly scope: MemoryScope;
  /** Nothing later; null: everything. */
  readonly asOf: Date | null;
  /** This event is not seen. */
  readonly exceptEventId: string | null;
}

export interface DocumentRow {
  readonly id: number;
  readonly eventId: string | null;
  readonly stateId: string | null;
  readonly length: number;
  readonly createdAt: Date;
  readonly actor: string | null;
  /** Of a state that has ended or will. */
  readonly validTo: Date | null;
  /** `array_send` of its terms. */
  readonly terms: Buffer;
}

export interface Posting {
  readonly hash: number;
  /** `{1,2,3}`: the driver would take longer to parse the array than Postgres to find it. */
  readonly ids: string | null;
}

/**
 * What retrieval reads of the index. Each statement is prepared: to plan it takes as long as to run it. The plan is kept
 * while a memory grows, so no statement leaves to the planner where it begins: `offset 0` keeps the selects apart.
 */
export class DocumentQueries {
  readonly #database: Pick<Database, 'statement'>;

  constructor(database: Pick<Database, 'statement'>) {
    this.#database = database;
  }

  /** How many documents the scope has, and how long they are. Read from the index alone. */
  async corpus(scope: MemoryScope): Promise<Corpus> {
    const part = (which: string) => `select d.length from memory_documents d where ${OF_SCOPE} and ${which}`;
    const [corpus] = await this.#ofParts<{ documents: number; mean_length: number }>(scope, {
      name: 'memory_corpus',
      text: (parts) => `select count(*)::int as documents, coalesce(avg(d.length), 0)::float8 as mean_length
        from (${parts.map(part).join(' union all ')}) d`,
      values: scopeValues(scope),
    });
    if (!corpus) throw new Error('the database returned no count');
    return { documents: corpus.documents, meanLength: corpus.mean_length };
  }

  /**
   * The documents that hold each of these terms, at most `most` of each. The inner select is planned by itself, so
   * that it is always read from the index of terms, those of the scope only; it ends where so many documents were looked
   * at that are too new to be seen.
   */
  postings(sight: Sight, hashes: readonly number[], most: number): Promise<Posting[]> {
    return this.#ofParts<Posting>(sight.scope, {
      name: 'memory_postings',
      text: (parts) => `select term.hash, found.ids::text as ids
        from unnest($6::integer[]) term(hash) cross join lateral (
          select array_agg(d.id) as ids from (
            select d.id from (
              select * from memory_documents where terms @> array[term.hash] ${inIndex(parts)} limit $8) d
            where ${SEEN} limit $7) d) found`,
      values: [...seenValues(sight), hashes, most, maxLookedAt(hashes.length)],
    });
  }

  /** The documents that hold both terms of each of these pairs, at most `most` of each. */
  async holdingBoth(
    sight: Sight,
    pairs: readonly (readonly [number, number])[],
    most: number,
  ): Promise<{ id: number; pairs: number }[]> {
    return this.#ofParts<{ id: number; pairs: number }>(sight.scope, {
      name: 'memory_holding_both',
      text: (parts) => `select found.id, count(*)::int as pairs
        from unnest($6::integer[], $7::integer[]) pair(a, b) cross join lateral (
          select d.id from (
            select * from memory_documents where terms @> array[pair.a, pair.b] ${inIndex(parts)} limit $9) d
          where ${SEEN} limit $8) found
        group by found.id`,
      values: [
        ...seenValues(sight),
        pairs.map(([a]) => a),
        pairs.map(([, b]) => b),
        most,
        maxLookedAt(pairs.length),
      ],
    });
  }

  /** Of so many newest documents those that hold one of these terms, at most `max`, the newest first. */
  async newestHolding(
    sight: Sight,
    hashes: readonly number[],
    lookedAt: number,
    max: number,
  ): Promise<number[]> {
    const part = (which: string) => `(select d.id, d.created_at, d.terms from memory_documents d
      where ${which} and ${SEEN} order by d.created_at desc, d.id desc limit $7)`;
    const rows = await this.#ofParts<{ id: number }>(sight.scope, {
      name: 'memory_newest_holding',
      text: (parts) => `select d.id from (${parts.map(part).join(' union all ')}) d
        where d.terms && $6::integer[] order by d.created_at desc, d.id desc limit $8`,
      values: [...seenValues(sight), hashes, lookedAt, max],
    });
    return rows.map(({ id }) => id);
  }

  byIds(ids: readonly number[]): Promise<DocumentRow[]> {
    return this.#database.statement<DocumentRow>({
      name: 'memory_documents_by_ids',
      text: `select ${COLUMNS} from memory_documents d where d.id = any($1::bigint[])`,
      values: [ids],
    });
  }

  /** The documents of these items that may be seen. */
  byItems(sight: Sight, ids: readonly string[]): Promise<DocumentRow[]> {
    return this.#database.statement<DocumentRow>({
      name: 'memory_documents_by_items',
      text: `select ${COLUMNS} from (
          (select * from memory_documents where event_id = any($6::text[]) offset 0) union all
          (select * from memory_documents where state_id = any($6::text[]) offset 0)) d
        where ${SEEN}`,
      values: [...seenValues(sight), ids],
    });
  }

  /** What was said directly before and after each of these in its thread. */
  neighboursOf(sight: Sight, ids: readonly number[]): Promise<(DocumentRow & { of: number })[]> {
    const beside = (comparison: string, order: string) => `
      (select n.id from memory_events n
        where n.agent_id = e.agent_id and n.thread_id = e.thread_id
          and (n.created_at, n.seq) ${comparison} (e.created_at, e.seq)
        order by n.created_at ${order}, n.seq ${order} limit 1)`;
    return this.#database.statement<DocumentRow & { of: number }>({
      name: 'memory_neighbours',
      text: `select s.id as of, ${COLUMNS}
        from (select id, event_id from memory_documents where id = any($6::bigint[]) offset 0) s
          cross join lateral (select * from memory_events where id = s.event_id offset 0) e
          cross join lateral (${beside('<', 'desc')} union all ${beside('>', 'asc')}) n
          cross join lateral ${documentOf('event_id', 'n.id')} d
        where ${SEEN}`,
      values: [...seenValues(sight), ids],
    });
  }

  newestEvents(sight: Sight, limit: number): Promise<DocumentRow[]> {
    const part = (which: string) => `(select d.* from memory_documents d
      where d.event_id is not null and ${which} and ${SEEN} order by d.created_at desc, d.id desc limit $6)`;
    return this.#ofParts<DocumentRow>(sight.scope, {
      name: 'memory_newest_events',
      text: (parts) => `select ${COLUMNS} from (
          select * from (${parts.map(part).join(' union all ')}) d order by d.created_at desc, d.id desc limit $6) d
        order by d.created_at desc, d.id desc`,
      values: [...seenValues(sight), limit],
    });
  }

  /** Without those that have ended at this instant, and those that nobody looks for by their age. */
  newestStates(sight: Sight, limit: number, now: Date): Promise<DocumentRow[]> {
    const part = (which: string) => `(select d.id, d.last_confirmed_at from memory_states d
      where ${OF_SCOPE} and ${which} and d.updated_at <= $4 and d.kind not in ('summary', 'long_mood_state')
        and (d.valid_to is null or d.valid_to > $7) order by d.last_confirmed_at desc, d.id limit $6)`;
    return this.#ofParts<DocumentRow>(sight.scope, {
      name: 'memory_newest_states',
      text: (parts) => `select ${COLUMNS} from (
          select * from (${parts.map(part).join(' union all ')}) s order by s.last_confirmed_at desc, s.id limit $6) s
        cross join lateral ${documentOf('state_id', 's.id')} d
        where ${SEEN} order by s.last_confirmed_at desc, s.id`,
      values: [...seenValues(sight), limit, now],
    });
  }

  /** The newest of the named times. */
  async within(sight: Sight, spans: readonly TimeSpan[], limit: number): Promise<number[]> {
    const part = (which: string) => `(select d.id, d.created_at from memory_documents d
      where d.created_at >= span.since and d.created_at < span.before and ${which} and ${SEEN}
      order by d.created_at desc, d.id desc limit $8)`;
    const rows = await this.#ofParts<{ id: number }>(sight.scope, {
      name: 'memory_within',
      text: (parts) => `select d.id from unnest($6::timestamptz[], $7::timestamptz[]) span(since, before)
          cross join lateral (${parts.map(part).join(' union all ')}) d
        order by d.created_at desc, d.id desc limit $8`,
      values: [...seenValues(sight), spans.map(({ from }) => from), spans.map(({ to }) => to), limit],
    });
    return rows.map(({ id }) => id);
  }

  /** The previous turns of the same client, the last one first. */
  replyChain(sight: Sight, eventId: string, limit: number): Promise<DocumentRow[]> {
    return this.#database.statement<DocumentRow>({
      name: 'memory_reply_chain',
      text: `with recursive chain as (
          select $6::text as event_id, 0 as depth
          union all
          select l.to_event_id, chain.depth + 1 from chain cross join lateral (
            select * from memory_event_links l where l.from_event_id = chain.event_id offset 0) l
          where l.label = 'reply_to' and chain.depth < $7::int)
        select ${COLUMNS} from chain cross join lateral ${documentOf('event_id', 'chain.event_id')} d
        where ${SEEN} order by chain.depth`,
      values: [...seenValues(sight), eventId, limit],
    });
  }

  /** A statement of its own for each kind of scope: `or` would hide the parts from the indexes. */
  #ofParts<R extends object>(
    { projectId }: MemoryScope,
    { name, text, values }: { name: string; text: (parts: readonly string[]) => string; values: unknown[] },
  ): Promise<R[]> {
    const isAll = projectId === undefined;
    return this.#database.statement<R>({
      name: isAll ? name : `${name}_of_project`,
      text: text(isAll ? EVERYTHING : OF_PROJECT),
      values,
    });
  }
}

/** The parts of a memory that are read, each in the order of its index: all of it; or what is general, and a project. */
const EVERYTHING = ['true'];
const OF_PROJECT = ['d.project_id is null', 'd.project_id = $3'];

/** The same for the index of terms. */
function inIndex(parts: readonly string[]): string {
  return parts === EVERYTHING ? '' : `and array[coalesce(project_id, '')] && array['', $3::text]`;
}

/** Of all terms of a search together, and of each when there are many. */
const MAX_LOOKED_AT = { together: 120_000, each: 6_000 };

function maxLookedAt(terms: number): number {
  return Math.max(MAX_LOOKED_AT.each, Math.floor(MAX_LOOKED_AT.together / Math.max(1, terms)));
}

const COLUMNS = `d.id, d.event_id as "eventId", d.state_id as "stateId", d.length, d.created_at as "createdAt",
  array_send(d.terms) as terms, (select e.actor from memory_events e where e.id = d.event_id) as actor,
  (select s.valid_to from memory_states s where s.id = d.state_id) as "validTo"`;

/** The document of an item: found by its id, whatever the planner thinks of the table. */
function documentOf(key: 'event_id' | 'state_id', id: string): string {
  return `(select * from memory_documents where ${key} = ${id} offset 0)`;
}

/** The conditions on a document `d`; their parameters are the first of each statement. */
const OF_SCOPE = 'd.agent_id = $1 and ($2 or d.project_id is null or d.project_id = $3)';
const SEEN = `${OF_SCOPE} and d.created_at <= $4 and (d.event_id is null or d.event_id is distinct from $5)`;

function scopeValues({ agentId, projectId }: MemoryScope): unknown[] {
  return [agentId, projectId === undefined, projectId ?? null];
}

function seenValues({ scope, asOf, exceptEventId }: Sight): unknown[] {
  return [...scopeValues(scope), asOf ?? 'infinity', exceptEventId];
}
