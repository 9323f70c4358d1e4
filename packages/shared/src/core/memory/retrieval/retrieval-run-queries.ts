import { sql } from 'kysely';
import type { RetrievalRun } from '../../../contract/memory.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';

export interface NewRun extends Omit<RetrievalRun, 'selected' | 'selectedSource'> {
  readonly scope: MemoryScope;
  readonly query: string;
}

/** The first of two steps: what was found, before it is decided what is used of it. */
export async function insertRun(db: Queryable, run: NewRun): Promise<void> {
  await db
    .insertInto('retrievalRuns')
    .values({
      id: run.id,
      agentId: run.scope.agentId,
      projectId: run.scope.projectId ?? null,
      eventId: run.eventId,
      query: run.query,
      plan: JSON.stringify(run.plan),
      planSource: run.planSource,
      candidates: JSON.stringify(run.candidates),
      timings: JSON.stringify(run.timings),
      errors: JSON.stringify(run.errors),
    })
    .execute();
}

export async function saveSelection(
  db: Queryable,
  id: string,
  run: Pick<RetrievalRun, 'selected' | 'selectedSource' | 'timings' | 'errors'>,
): Promise<void> {
  await db
    .updateTable('retrievalRuns')
    .set({
      selected: JSON.stringify(run.selected),
      selectedSource: run.selectedSource,
      timings: JSON.stringify(run.timings),
      errors: JSON.stringify(run.errors),
    })
    .where('id', '=', id)
    .execute();
}

/** Null: there is none, or it was made for another project than the caller sees. */
export async function findRun(db: Queryable, scope: MemoryScope, id: string): Promise<unknown> {
  const project =
    scope.projectId === undefined ? sql`true` : sql`project_id is not distinct from ${scope.projectId}`;
  const { rows } = await sql`
    select id, event_id, plan, plan_source, candidates, timings, errors, selected, selected_source
    from retrieval_runs where id = ${id} and agent_id = ${scope.agentId} and ${project}`.execute(db);
  return rows[0] ?? null;
}
