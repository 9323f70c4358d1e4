import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { MOST_EVIDENCE } from './rules/evidence.ts';
import type { RevisionOf } from './rules/forget-evidence.ts';
import { MERGED } from './rules/growth/duplicates.ts';
import { selectStates, toState } from './state-list-queries.ts';
import type { StateRow } from './state-queries.ts';

const recordSchema = z.record(z.string(), z.unknown());

export async function lockEvents(db: Queryable, agentId: string, ids: readonly string[]): Promise<void> {
  await sql`select from memory_events where agent_id = ${agentId} and id = any(${ids}::text[])
    order by id for update`.execute(db);
}

/**
 * The states that do not name these events, but whose revisions may hold their words: of many events a state names some
 * only, and a summary and the mood those of their last making.
 */
async function statesWithHistoryOf(
  db: Queryable,
  agentId: string,
  eventIds: readonly string[],
): Promise<string[]> {
  const ids = sql`any(${eventIds}::text[])`;
  const isInHistory = sql`exists (
    select from memory_revisions r where r.state_id = s.id and r.evidence && ${eventIds}::text[])`;
  const summariesOf = (type: 'topic' | 'thread', table: string, column: string) => sql`
    select s.id from ${sql.table(table)} n join memory_states s on s.agent_id = n.agent_id
      and coalesce(s.project_id, '') = coalesce(n.project_id, '') and s.scope_type = ${sql.lit(type)}
      and s.scope_key = ${sql.ref(`n.${column}`)}
    where n.event_id = ${ids} and n.agent_id = ${agentId}`;
  const { rows } = await sql<{ id: string }>`
    select s.id from memory_states s where s.agent_id = ${agentId} and s.kind in ('fact', 'relation', 'task')
      and cardinality(s.evidence) >= ${MOST_EVIDENCE} and ${isInHistory}
    union select s.id from memory_states s where s.agent_id = ${agentId} and s.scope_type in ('person', 'period')
      and ${isInHistory}
    union ${summariesOf('topic', 'memory_event_entities', 'name')}
    union ${summariesOf('thread', 'memory_event_threads', 'thread_key')}
    union select s.id from memory_states s where s.agent_id = ${agentId} and s.kind = 'long_mood_state' and exists (
      select from memory_event_affects f where f.event_id = ${ids}
        and (f.project_id is null or f.project_id = s.project_id))`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks the states that were made from at least one of these events. */
export async function lockStatesOf(
  db: Queryable,
  agentId: string,
  eventIds: readonly string[],
): Promise<StateRow[]> {
  const more = await statesWithHistoryOf(db, agentId, eventIds);
  const rows = await selectStates(db)
    .where('agentId', '=', agentId)
    .where(sql<boolean>`(evidence && ${eventIds}::text[] or id = any(${more}::text[]))`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(toState);
}

/** The ids of the states that were made from this event and no other. */
export async function statesOfAlone(db: Queryable, agentId: string, eventId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from memory_states where agent_id = ${agentId} and evidence @> ${[eventId]}::text[]
      and evidence <@ ${[eventId]}::text[]`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks the states that were closed because another one, which had this evidence as well, says the same. */
export async function lockMergedInto(
  db: Queryable,
  { id, agentId, projectId, kind, evidence }: StateRow,
): Promise<{ id: string; updatedAt: Date; revisionId: number; before: unknown }[]> {
  const { rows } = await sql<{ id: string; updatedAt: Date; revisionId: number; before: unknown }>`
    select s.id, s.updated_at, r.id as revision_id, r.before
    from memory_states s cross join lateral (
      select * from memory_revisions where state_id = s.id order by id desc limit 1) r
    where s.agent_id = ${agentId} and s.evidence && ${evidence}::text[] and s.id <> ${id} and s.kind = ${kind}
      and s.project_id is not distinct from ${projectId} and s.valid_to is not null
      and r.op = 'close' and r.reason = any(${Object.values(MERGED)}::text[]) and r.made_by <> 'person'
    order by s.id for update of s`.execute(db);
  return rows;
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
    .select(['id', 'before', 'after', 'evidence', 'madeBy'])
    .where('stateId', '=', stateId)
    .orderBy('id')
    .execute();
  return rows.map(({ before, after, madeBy, ...row }) => ({
    ...row,
    isByPerson: madeBy === 'person',
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

/**
 * Plans that are kept, but not applied, and whose model was shown one of these events or states: they may repeat any of
 * it. They are made anew.
 */
export async function dropPlansThatSaw(
  db: Queryable,
  agentId: string,
  { eventIds, stateIds }: { readonly eventIds: readonly string[]; readonly stateIds: readonly string[] },
): Promise<void> {
  await sql`
    with seeing as materialized (
      select event_id from memory_growth where agent_id = ${agentId} and plan is not null
        and (plan #> '{seen,events}' ?| ${eventIds}::text[] or exists (
          select from jsonb_array_elements(plan #> '{seen,states}') as s where s ->> 'id' = any(${stateIds}::text[])))
      order by event_id for update)
    update memory_growth g set plan = null, made_by = null, dropped = '[]'
    from seeing where g.event_id = seeing.event_id`.execute(db);
}

/** With their documents, revisions, links and the runs of their turns. */
export async function deleteEvents(db: Queryable, agentId: string, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('memoryEvents')
    .where('agentId', '=', agentId)
    .where('id', 'in', [...ids])
    .execute();
}

/** The summaries among these are made anew, of what is left. */
export async function markDeletedSummaries(db: Queryable, stateIds: readonly string[]): Promise<void> {
  await sql`insert into memory_summary_scopes (agent_id, project_id, scope_type, scope_key)
    select agent_id, coalesce(project_id, ''), scope_type, scope_key from memory_states
    where id = any(${stateIds}::text[]) and scope_type is not null order by 2, 3, 4
    on conflict do nothing`.execute(db);
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
 * Takes the words of these events, states and messages out of the runs that hold them; with a limit out of so many, and of
 * none that somebody else changes at this moment. A search that belongs to no turn goes as a whole: its words were about
 * what is forgotten. Of what a model selected the reasons go, which may quote anything that it was shown. Returns how many
 * runs were changed.
 */
export async function forgetInRuns(
  db: Queryable,
  agentId: string,
  ids: readonly string[],
  limit?: number,
): Promise<number> {
  const which =
    limit === undefined ? sql`order by id for update` : sql`limit ${limit} for update skip locked`;
  const { rows } = await sql<{ changed: number }>`
    with holding as materialized (
      select id, event_id from retrieval_runs where agent_id = ${agentId} and words_of && ${ids}::text[] ${which}
    ), deleted as (
      delete from retrieval_runs r using holding h where r.id = h.id and h.event_id is null
    ), changed as (
      update retrieval_runs r set
        words_of = array(select id from unnest(r.words_of) as id where id <> all(${ids}::text[])),
        selected = (
          select coalesce(jsonb_agg(case when r.selected_source = 'model' then part || '{"why": ""}' else part end
            order by place), '[]')
          from jsonb_array_elements(r.selected) with ordinality as p (part, place)
          where coalesce(part ->> 'event_id', part ->> 'state_id', '') <> all(${ids}::text[]))
      from holding h where r.id = h.id and h.event_id is not null
    )
    select count(*)::int as changed from holding`.execute(db);
  return rows[0]?.changed ?? 0;
}
