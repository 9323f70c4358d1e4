import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

/** What is erased: a project's part of a memory, or all of it. */
export interface Erased {
  readonly agentId: string;
  readonly projectId: string | undefined;
}

export interface EventPlace {
  readonly id: string;
  readonly createdAt: Date;
  readonly seq: number;
}

/** The place of the event that was stored last, of any memory, committed or not. */
export async function lastEventSeq(db: Queryable): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(pg_sequence_last_value(pg_get_serial_sequence('memory_events', 'seq')), 0) as last`.execute(
    db,
  );
  return rows[0]?.last ?? 0;
}

/** The next events up to `lastSeq`, the newest first, behind `after`. */
export async function eventsToErase(
  db: Queryable,
  { agentId, projectId }: Erased,
  { after, lastSeq, limit }: { after: EventPlace | undefined; lastSeq: number; limit: number },
): Promise<EventPlace[]> {
  return db
    .selectFrom('memoryEvents')
    .select(['id', 'createdAt', 'seq'])
    .where('agentId', '=', agentId)
    .where('seq', '<=', lastSeq)
    .$if(projectId !== undefined, (query) => query.where('projectId', '=', projectId ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(created_at, seq) < (${after?.createdAt}::timestamptz, ${after?.seq}::bigint)`,
      ),
    )
    .orderBy('createdAt', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

export async function statesToErase(
  db: Queryable,
  { agentId, projectId }: Erased,
  before: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('memoryStates')
    .select('id')
    .where('agentId', '=', agentId)
    .where('createdAt', '<=', before)
    .$if(projectId !== undefined, (query) => query.where('projectId', '=', projectId ?? ''))
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns how many runs were deleted. */
export async function eraseRuns(
  db: Queryable,
  { agentId, projectId }: Erased,
  before: Date,
  limit: number,
): Promise<number> {
  const project = projectId === undefined ? sql`true` : sql`project_id = ${projectId}`;
  const { numAffectedRows } = await sql`
    delete from retrieval_runs where id in (select id from retrieval_runs
      where agent_id = ${agentId} and created_at <= ${before} and ${project} limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** What was to be done for the memory, and how far it was. */
export async function eraseGrowth(db: Queryable, { agentId, projectId }: Erased): Promise<void> {
  await db
    .deleteFrom('memorySummaryScopes')
    .where('agentId', '=', agentId)
    .$if(projectId !== undefined, (query) => query.where('projectId', '=', projectId ?? ''))
    .execute();
  // They name what agents wanted to see.
  await db
    .deleteFrom('visionRequests')
    .where('agentId', '=', agentId)
    .$if(projectId !== undefined, (query) => query.where('projectId', '=', projectId ?? ''))
    .execute();
  if (projectId === undefined)
    await db.deleteFrom('memoryGrowthAgents').where('agentId', '=', agentId).execute();
}

/** What a memory has asked a person to show, and why the person declined. An answer that is being described finds it gone. */
export async function eraseRequestsTo(
  db: Queryable,
  { agentId, personId }: { readonly agentId: string; readonly personId: string },
): Promise<void> {
  await db
    .deleteFrom('visionRequests')
    .where('agentId', '=', agentId)
    .where(({ or, eb }) => or([eb('clientId', '=', personId), eb('askedBy', '=', personId)]))
    .execute();
}
