import type { Database } from '../../../platform/db/database.ts';
import type { Sight } from './document-queries.ts';

/** What a search hints at (SearchPlan.time_hint). */
export interface AboutHint {
  readonly yearStart: number | null;
  readonly yearEnd: number | null;
  readonly lifeStage: string;
}

/** Turns of the same client that are looked at, back from the last one. */
const HOPS = 8;

/** What retrieval reads of what has grown out of events: ids of documents, the newest event first. */
export class GrownQueries {
  readonly #database: Pick<Database, 'statement'>;

  constructor(database: Pick<Database, 'statement'>) {
    this.#database = database;
  }

  /** Events that are about the years or the stage of life that are hinted at. */
  async about(sight: Sight, { yearStart, yearEnd, lifeStage }: AboutHint, limit: number): Promise<number[]> {
    const [from, to] = [yearStart ?? yearEnd, yearEnd ?? yearStart];
    return this.#documents('memory_about', {
      sight,
      limit,
      events: `(select * from (
          (select event_id from memory_event_annotations where agent_id = $1 and about_year_start is not null
            and about_year_start <= $8::int and about_year_end >= $7::int limit 500) union
          (select event_id from memory_event_annotations where agent_id = $1 and life_stage = $9 and $9 <> '' limit 500)) a)`,
      values: [from, to, lifeStage],
    });
  }

  /** Events of the threads of this turn and of those before it. */
  async threads(sight: Sight, eventId: string, limit: number): Promise<number[]> {
    return this.#documents('memory_threads', {
      sight,
      limit,
      events: `(select distinct t.event_id from ${CHAIN}
          cross join lateral (select * from memory_event_threads where event_id = chain.event_id offset 0) named
          cross join lateral (select event_id from memory_event_threads where agent_id = $1
            and thread_key = named.thread_key order by created_at desc, event_id limit 40) t)`,
      values: [eventId],
    });
  }

  /** Events that this turn and those before it are linked with. */
  async links(sight: Sight, eventId: string, limit: number): Promise<number[]> {
    return this.#documents('memory_links', {
      sight,
      limit,
      events: `(select distinct l.event_id from ${CHAIN} cross join lateral (
          (select to_event_id as event_id from memory_event_links
            where from_event_id = chain.event_id and label <> 'reply_to' limit 20) union all
          (select from_event_id from memory_event_links
            where to_event_id = chain.event_id and label <> 'reply_to' limit 20)) l)`,
      values: [eventId],
    });
  }

  /** Events in which one of these was felt. */
  async affects(sight: Sight, labels: readonly string[], limit: number): Promise<number[]> {
    return this.#documents('memory_affects', {
      sight,
      limit,
      events: `(select event_id from (select * from memory_event_affects where agent_id = $1
          order by created_at desc, id limit 500) felt where felt.labels && $7::text[])`,
      values: [[...labels]],
    });
  }

  async #documents(
    name: string,
    { sight, limit, events, values }: { sight: Sight; limit: number; events: string; values: unknown[] },
  ): Promise<number[]> {
    const { agentId, projectId } = sight.scope;
    const rows = await this.#database.statement<{ id: number }>({
      name,
      text: `select d.id from ${events} e
          cross join lateral (select * from memory_documents where event_id = e.event_id offset 0) d
        where d.agent_id = $1 and ($2 or d.project_id is null or d.project_id = $3) and d.created_at <= $4
          and d.event_id is distinct from $5
        order by d.created_at desc, d.id desc limit $6`,
      values: [
        agentId,
        projectId === undefined,
        projectId ?? null,
        sight.asOf ?? 'infinity',
        sight.exceptEventId,
        limit,
        ...values,
      ],
    });
    return rows.map(({ id }) => id);
  }
}

const CHAIN = `(with recursive hop as (
    select $7::text as event_id, 0 as depth
    union all
    select l.to_event_id, hop.depth + 1 from hop cross join lateral (
      select * from memory_event_links l where l.from_event_id = hop.event_id offset 0) l
    where l.label = 'reply_to' and hop.depth < ${HOPS})
  select distinct event_id from hop) chain`;
