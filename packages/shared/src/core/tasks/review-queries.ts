import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';

export interface Reviewer {
  readonly id: string;
  readonly type: string;
}

/** Who looks at the finished tasks of a project: a live member or owner, who may move tasks. */
export async function reviewerOf(db: Queryable, projectId: string): Promise<Reviewer | undefined> {
  const { rows } = await sql<Reviewer>`
    select a.id, a.type from projects p join agents a on a.id = p.reviewer_id and a.deleted_at is null
      and a.access_level is distinct from 'viewer'
    where p.id = ${projectId} and (a.access_level = 'owner' or exists (select from project_agents m
      where m.project_id = p.id and m.agent_id = a.id))`.execute(db);
  return rows[0];
}
