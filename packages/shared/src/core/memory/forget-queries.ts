import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import type { RevisionOf } from './rules/forget-evidence.ts';
import { selectStates, toState } from './state-list-queries.ts';
import type { StateRow } from './state-queries.ts';

const recordSchema = z.record(z.string(), z.unknown());

export async function lockEvents(db: Queryable, agentId: string, ids: readonly string[]): Promise<void> {
  await sql`select from memory_events where agent_id = ${agentId} and id = any(${ids}::text[])
    order by id for update`.execute(db);
}

/** Locks the states that were made from at least one of these events. */
export async function lockStatesOf(
  db: Queryable,
  agentId: string,
  eventIds: readonly string[],
): Promise<StateRow[]> {
  const rows = await selectStates(db)
    .where('agentId', '=', agentId)
    .where(sql<boolean>`evidence && ${eventIds}::text[]`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(toState);
}

export async function setEvidence(
  db: Queryable,
  stateId: string,
  evidence: readonly string[],
): Promise<void> {
  await db
    .updateTable('memoryStates')
    .set({ evidence: [...evidence] })
    .where('id', '=', stateId)
    .execute();
}

/** The oldest first. */
export async function revisionsOf(db: Queryable, stateId: string): Promise<RevisionOf[]> {
  const rows = await db
    .selectFrom('memoryRevisions')
    .select(['id', 'before', 'after', 'evidence'])
    .where('stateId', '=', stateId)
    .orderBy('id')
    .execute();
  return rows.map(({ before, after, ...row }) => ({
    ...row,
    before: before === null ? null : recordSchema.parse(before),
    after: recordSchema.parse(after),
  }));
}

export async function rewriteRevisions(
  db: Queryable,
  kept: readonly RevisionOf[],
  removed: readonly number[],
): Promise<void> {
  if (removed.length > 0)
    await db
      .deleteFrom('memoryRevisions')
      .where('id', 'in', [...removed])
      .execute();
  await sql`
    update memory_revisions r set before = k.before, after = k.after,
      evidence = array(select jsonb_array_elements_text(k.evidence))
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as k (id bigint, before jsonb, after jsonb, evidence jsonb)
    where r.id = k.id`.execute(db);
}

/** With their documents, revisions, links and the runs of their turns. */
export async function deleteEvents(db: Queryable, agentId: string, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('memoryEvents')
    .where('agentId', '=', agentId)
    .where('id', 'in', [...ids])
    .execute();
}

/** With their documents and revisions. */
export async function deleteStates(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db
      .deleteFrom('memoryStates')
      .where('id', 'in', [...ids])
      .execute();
}

/**
 * Takes what these items say out of the runs that used it. A search that belongs to no turn goes as a whole: its words
 * were about what is forgotten.
 */
export async function forgetInRuns(
  db: Queryable,
  agentId: string,
  { eventIds, stateIds }: { eventIds: readonly string[]; stateIds: readonly string[] },
): Promise<void> {
  const quoting = sql`
    select r.id from (
      select jsonb_build_array(jsonb_build_object('event_id', id)) as item from unnest(${eventIds}::text[]) as id
      union all
      select jsonb_build_array(jsonb_build_object('state_id', id)) from unnest(${stateIds}::text[]) as id
    ) as gone join retrieval_runs r on r.selected @> gone.item and r.agent_id = ${agentId}`;
  await sql`delete from retrieval_runs where event_id is null and id in (${quoting})`.execute(db);
  await sql`
    update retrieval_runs r set selected = (
      select coalesce(jsonb_agg(part order by place), '[]') from jsonb_array_elements(r.selected) with ordinality as p (part, place)
      where coalesce(part ->> 'event_id', '') <> all(${eventIds}::text[])
        and coalesce(part ->> 'state_id', '') <> all(${stateIds}::text[]))
    where r.id in (${quoting})`.execute(db);
}

/**
 * Deletes the searches that were made for a message before its event was there, and belong to no turn: their words are
 * the message, or one of those that were answered together. Compared by whole lines; of a long message a search has the
 * end only.
 */
export async function forgetSearchesFor(db: Queryable, agentId: string, said: string): Promise<void> {
  if (said.trim() === '') return;
  const lines = (text: RawBuilder<unknown>) =>
    sql`E'\n' || regexp_replace(${text}, '\\n+', E'\n', 'g') || E'\n'`;
  await sql`
    delete from retrieval_runs where id in (
      select r.id
      from retrieval_runs r cross join (select ${lines(sql`${said}::text`)} as lines) as said
        cross join lateral (select ${lines(sql`r.query`)} as lines) as searched
      where r.agent_id = ${agentId} and r.event_id is null
        and (strpos(said.lines, searched.lines) > 0 or strpos(searched.lines, said.lines) > 0
          or (length(r.query) >= 1000 and strpos(said.lines, substr(searched.lines, 2)) > 0)))`.execute(db);
}
