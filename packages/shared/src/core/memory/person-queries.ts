import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { EventPlace } from './erase-queries.ts';

/** The person of whom a memory is asked. */
export interface Remembered {
  readonly agentId: string;
  readonly personId: string;
  readonly name: string;
}

/** Of one query: a memory may have a million events, most of them of others. */
const SCANNED = 1_000;

/** The person, deleted or not: what is left of a person can be exported and erased as well. */
export async function findRemembered(
  db: Queryable,
  personId: string,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  return db
    .selectFrom('agents')
    .select(['id', 'name'])
    .where('id', '=', personId)
    .where('type', '=', 'human')
    .executeTakeFirst();
}

/**
 * The next part of a memory, the newest first, behind `after`: which of its events are of the person, and where to go on;
 * null: that was the end.
 */
export async function eventsOfPerson(
  db: Queryable,
  { agentId, personId, name }: Remembered,
  { after, lastSeq }: { readonly after: EventPlace | undefined; readonly lastSeq: number },
): Promise<{ readonly ids: string[]; readonly next: EventPlace | null }> {
  const { rows } = await sql<EventPlace & { isOf: boolean }>`
    select id, created_at, seq, ${isOf({ personId, name })} as is_of
    from memory_events e where agent_id = ${agentId} and seq <= ${lastSeq}
      and ${after === undefined ? sql`true` : sql`(created_at, seq) < (${after.createdAt}::timestamptz, ${after.seq}::bigint)`}
    order by created_at desc, seq desc limit ${SCANNED}`.execute(db);
  const last = rows.at(-1);
  return {
    ids: rows.filter(({ isOf }) => isOf).map(({ id }) => id),
    next: rows.length === SCANNED && last ? last : null,
  };
}

export interface StatePlace {
  readonly id: string;
  readonly lastConfirmedAt: Date;
}

/** The same of the states: those of which at least one source is an event of the person. */
export async function statesOfPerson(
  db: Queryable,
  { agentId, personId, name }: Remembered,
  after: StatePlace | undefined,
): Promise<{ readonly ids: string[]; readonly next: StatePlace | null }> {
  const { rows } = await sql<StatePlace & { isOf: boolean }>`
    select s.id, s.last_confirmed_at, exists (select from memory_events e where e.id = any(s.evidence)
        and ${isOf({ personId, name })}) as is_of
    from (select id, last_confirmed_at, evidence from memory_states where agent_id = ${agentId}
      and ${after === undefined ? sql`true` : sql`last_confirmed_at <= ${after.lastConfirmedAt}::timestamptz and (last_confirmed_at < ${after.lastConfirmedAt}::timestamptz or id > ${after.id})`}
      order by last_confirmed_at desc, id limit ${SCANNED}) as s
    order by s.last_confirmed_at desc, s.id`.execute(db);
  const last = rows.at(-1);
  return {
    ids: rows.filter(({ isOf }) => isOf).map(({ id }) => id),
    next: rows.length === SCANNED && last ? last : null,
  };
}

/**
 * Of an event `e`: the chat is with the person, or the person's client or name stands in what was stored by others. The
 * name does not count in a chat, which has another person's when two of different projects have the same.
 */
function isOf({ personId, name }: Pick<Remembered, 'personId' | 'name'>) {
  return sql<boolean>`coalesce(e.client_id = ${personId}
    or e.client_id = 'pm:' || e.project_id || ':' || e.agent_id || ':' || ${personId}::text
    or (e.client_id not like 'pm:%' and ${asCompared(sql`e.actor`)} in (${asCompared(sql`${name}::text`)}, ${asCompared(sql`${personId}::text`)})), false)`;
}

/** An import spells a name as its source did: in other case, in full width, with space around it. */
function asCompared(name: RawBuilder<unknown>) {
  return sql`lower(btrim(normalize(${name}, nfkc)))`;
}
