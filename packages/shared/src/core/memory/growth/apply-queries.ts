import { sql } from 'kysely';
import type { GrownBy } from '../../../contract/memory.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { Affect, Annotation, Entity, WritePlan } from '../rules/growth/write-plan.ts';
import { selectStates, toState } from '../state-list-queries.ts';
import type { StateRow } from '../state-queries.ts';

/** Of what something grows; its rows carry the project of the event. */
export interface GrownFrom {
  readonly eventId: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly createdAt: Date;
  readonly madeBy: GrownBy;
}

/** Nobody deletes it until the transaction has ended. False: it is deleted. */
export async function keepEvent(db: Queryable, eventId: string): Promise<boolean> {
  const { rows } = await sql`select id from memory_events where id = ${eventId} for key share`.execute(db);
  return rows.length > 0;
}

/** Which of these are events that this memory shows to the project, none of which is deleted meanwhile. */
export async function keepKnownEvents(
  db: Queryable,
  { agentId, projectId }: Pick<GrownFrom, 'agentId' | 'projectId'>,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from memory_events where id = any(${ids}::text[]) and agent_id = ${agentId}
      and (project_id is null or project_id is not distinct from ${projectId})
    order by id for key share`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Those of these states that belong to exactly this project, locked. */
export async function lockStates(
  db: Queryable,
  { agentId, projectId }: Pick<GrownFrom, 'agentId' | 'projectId'>,
  ids: readonly string[],
): Promise<Map<string, StateRow>> {
  if (ids.length === 0) return new Map();
  const rows = await selectStates(db)
    .where('agentId', '=', agentId)
    .where(sql<boolean>`project_id is not distinct from ${projectId}`)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.id, toState(row)]));
}

export async function saveAnnotation(
  db: Queryable,
  { eventId, agentId, projectId, madeBy }: GrownFrom,
  { confidence, ...about }: Annotation,
): Promise<void> {
  await db
    .insertInto('memoryEventAnnotations')
    .values({ eventId, agentId, projectId, madeBy, ...about, aboutTimeConfidence: confidence })
    .onConflict((conflict) => conflict.column('eventId').doNothing())
    .execute();
}

export async function saveEntities(
  db: Queryable,
  from: GrownFrom,
  entities: readonly Entity[],
): Promise<void> {
  if (entities.length === 0) return;
  await db
    .insertInto('memoryEventEntities')
    .values(entities.map((entity) => ({ ...from, ...entity })))
    .onConflict((conflict) => conflict.columns(['eventId', 'type', 'name']).doNothing())
    .execute();
}

export async function saveThreads(
  db: Queryable,
  from: GrownFrom,
  threads: WritePlan['threads'],
): Promise<void> {
  const unique = [...new Map(threads.map((thread) => [thread.key, thread])).values()];
  if (unique.length === 0) return;
  await db
    .insertInto('memoryEventThreads')
    .values(unique.map(({ key, confidence }) => ({ ...from, threadKey: key, confidence })))
    .onConflict((conflict) => conflict.columns(['eventId', 'threadKey']).doNothing())
    .execute();
}

export async function saveAffect(
  db: Queryable,
  from: GrownFrom,
  { id, text, labels, vad, confidence }: Affect & { readonly id: string },
): Promise<void> {
  await db
    .insertInto('memoryEventAffects')
    .values({ id, ...from, bodyText: text, labels: [...labels], ...vad, confidence })
    .onConflict((conflict) => conflict.column('eventId').doNothing())
    .execute();
}

/** A link that is there already keeps who has made it. */
export async function saveLinks(
  db: Queryable,
  { eventId: fromEventId, madeBy }: GrownFrom,
  links: WritePlan['links'],
): Promise<void> {
  if (links.length === 0) return;
  await db
    .insertInto('memoryEventLinks')
    .values(links.map((link) => ({ fromEventId, madeBy, ...link })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** What a state is about, how much it matters, and what it was made from. */
export async function saveGrown(
  db: Queryable,
  id: string,
  {
    aboutKey,
    salience,
    evidence,
  }: { aboutKey: string | null; salience: number | null; evidence: readonly string[] },
): Promise<void> {
  await sql`update memory_states set about_key = coalesce(${aboutKey}::text, about_key),
    salience = coalesce(${salience}::real, salience), evidence = ${evidence}::text[] where id = ${id}`.execute(
    db,
  );
}

export async function setScope(
  db: Queryable,
  id: string,
  { scopeType, scopeKey }: { scopeType: string; scopeKey: string },
): Promise<void> {
  await db.updateTable('memoryStates').set({ scopeType, scopeKey }).where('id', '=', id).execute();
}

export interface SummaryScope {
  readonly projectId: string | null;
  readonly scopeType: 'person' | 'topic' | 'period' | 'thread';
  readonly scopeKey: string;
}

/** These are made anew by the next step. */
export async function markScopes(
  db: Queryable,
  agentId: string,
  scopes: readonly SummaryScope[],
): Promise<void> {
  const column = (read: (scope: SummaryScope) => string) => scopes.map(read);
  if (scopes.length === 0) return;
  await sql`insert into memory_summary_scopes (agent_id, project_id, scope_type, scope_key)
    select distinct ${agentId}, p, t, k from unnest(${column(({ projectId }) => projectId ?? '')}::text[],
      ${column(({ scopeType }) => scopeType)}::text[], ${column(({ scopeKey }) => scopeKey)}::text[]) as s (p, t, k)
    order by 2, 3, 4
    on conflict do nothing`.execute(db);
}
