import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';
import type { TimeSpan } from '../rules/time-hint.ts';

/** Which documents a search may see. */
export interface Sight {
  readonly scope: MemoryScope;
  /** Nothing later; null: everything. */
  readonly asOf: Date | null;
  /** This event, and what was stored after it at the same instant, is not seen. */
  readonly exceptEventId: string | null;
}

export interface DocumentRow {
  readonly id: number;
  readonly eventId: string | null;
  readonly stateId: string | null;
  readonly length: number;
  readonly createdAt: Date;
  readonly actor: string | null;
  /** `array_send` of its terms. */
  readonly terms: Buffer;
}

export interface Posting {
  readonly hash: number;
  /** `{1,2,3}`: the driver would take longer to parse the array than Postgres to find it. */
  readonly ids: string | null;
}

/** What retrieval reads of the index; every statement sees what the sight sees. */
export class DocumentQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** How many documents there are, and how long they are. */
  async corpus(sight: Sight): Promise<{ documents: number; meanLength: number }> {
    const { rows } = await sql<{ documents: number; meanLength: number }>`
      select count(*)::int as documents, coalesce(avg(d.length), 0)::float8 as mean_length
      from memory_documents d where ${seen(sight)}`.execute(this.#db);
    const [corpus] = rows;
    if (!corpus) throw new Error('the database returned no count');
    return corpus;
  }

  /**
   * The documents that hold each of these terms, at most `most` of each. The inner select is planned by itself, so
   * that it is always read from the index of terms.
   */
  async postings(sight: Sight, hashes: readonly number[], most: number): Promise<Posting[]> {
    const { rows } = await sql<Posting>`
      select term.hash, found.ids::text as ids
      from unnest(${hashes}::integer[]) term(hash) cross join lateral (
        select array_agg(d.id) as ids from (
          select d.id from (
            select * from memory_documents where terms @> array[term.hash] offset 0) d
          where ${seen(sight)} limit ${most}) d) found`.execute(this.#db);
    return rows;
  }

  async byIds(ids: readonly number[]): Promise<DocumentRow[]> {
    const { rows } = await sql<DocumentRow>`${DOCUMENT} where d.id = any(${ids}::bigint[])`.execute(this.#db);
    return rows;
  }

  /** What was said directly before and after each of these in its thread. */
  async neighboursOf(sight: Sight, ids: readonly number[]): Promise<(DocumentRow & { of: number })[]> {
    const beside = (comparison: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
      (select n.id from memory_events n
        where n.agent_id = e.agent_id and n.thread_id = e.thread_id and (n.created_at, n.seq) ${comparison}
          (e.created_at, e.seq)
        order by n.created_at ${order}, n.seq ${order} limit 1)`;
    const { rows } = await sql<DocumentRow & { of: number }>`
      with near as materialized (
        select s.id as of, n.id as event_id
        from memory_documents s join memory_events e on e.id = s.event_id cross join lateral (
          ${beside(sql`<`, sql`desc`)} union all ${beside(sql`>`, sql`asc`)}) n
        where s.id = any(${ids}::bigint[]))
      select near.of, d.*, e.actor from near
        cross join lateral (${COLUMNS} where d.event_id = near.event_id and ${seen(sight)}) d
        left join memory_events e on e.id = d.event_id`.execute(this.#db);
    return rows;
  }

  async newestEvents(sight: Sight, limit: number): Promise<DocumentRow[]> {
    return this.#newest(sight, sql`d.event_id is not null`, limit);
  }

  async newestStates(sight: Sight, limit: number): Promise<DocumentRow[]> {
    const { rows } = await sql<DocumentRow>`
      select d.*, null as actor from (
        select id from memory_states where agent_id = ${sight.scope.agentId}
        order by last_confirmed_at desc, id limit ${limit}) s
      cross join lateral (${COLUMNS} where d.state_id = s.id and ${seen(sight)}) d`.execute(this.#db);
    return rows;
  }

  /** The newest of the named times. */
  async within(sight: Sight, spans: readonly TimeSpan[], limit: number): Promise<{ id: number }[]> {
    const { rows } = await sql<{ id: number }>`
      select d.id from unnest(${spans.map(({ from }) => from)}::timestamptz[],
        ${spans.map(({ to }) => to)}::timestamptz[]) span(since, before)
      cross join lateral (
        select d.id, d.created_at from memory_documents d
        where d.created_at >= span.since and d.created_at < span.before and ${seen(sight)}
        order by d.created_at desc limit ${limit}) d
      order by d.created_at desc limit ${limit}`.execute(this.#db);
    return rows;
  }

  /** The previous turns of the same client, the last one first. */
  async replyChain(sight: Sight, eventId: string, limit: number): Promise<DocumentRow[]> {
    const { rows } = await sql<DocumentRow & { depth: number }>`
      with recursive chain as (
        select ${eventId}::text as event_id, 0 as depth
        union all
        select l.to_event_id, chain.depth + 1 from chain join memory_event_links l
          on l.from_event_id = chain.event_id and l.label = 'reply_to'
        where chain.depth < ${limit})
      select d.*, e.actor, chain.depth from chain
        cross join lateral (${COLUMNS} where d.event_id = chain.event_id and ${seen(sight)}) d
        left join memory_events e on e.id = d.event_id
      order by chain.depth`.execute(this.#db);
    return rows;
  }

  async #newest(sight: Sight, which: RawBuilder<unknown>, limit: number): Promise<DocumentRow[]> {
    const { rows } = await sql<DocumentRow>`
      select d.*, e.actor from (
        ${COLUMNS} where ${which} and ${seen(sight)} order by d.created_at desc, d.id desc limit ${limit}) d
      left join memory_events e on e.id = d.event_id`.execute(this.#db);
    return rows;
  }
}

const COLUMNS = sql`select d.id, d.event_id, d.state_id, d.length, d.created_at, array_send(d.terms) as terms
  from memory_documents d`;
const DOCUMENT = sql`select d.id, d.event_id, d.state_id, d.length, d.created_at, array_send(d.terms) as terms, e.actor
  from memory_documents d left join memory_events e on e.id = d.event_id`;

/** The condition on a document `d`. */
function seen({ scope, asOf, exceptEventId }: Sight): RawBuilder<unknown> {
  const { agentId, projectId } = scope;
  const project =
    projectId === undefined
      ? sql`true`
      : projectId === null
        ? sql`d.project_id is null`
        : sql`(d.project_id is null or d.project_id = ${projectId})`;
  const time = asOf === null ? sql`true` : sql`d.created_at <= ${asOf}`;
  const except = exceptEventId === null ? sql`true` : sql`d.event_id is distinct from ${exceptEventId}`;
  return sql`d.agent_id = ${agentId} and ${project} and ${time} and ${except}`;
}
