import { sql } from 'kysely';
import { ACCESS_LEVELS, type AccessLevel } from '../../contract/agent.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** A person, and a project of which the person requests changes. */
export interface Hearer {
  readonly projectId: string;
  readonly personId: string;
}

/** What a person may do now; undefined: the person was deleted. */
export async function currentAccessLevel(db: Queryable, personId: string): Promise<AccessLevel | undefined> {
  const row = await db
    .selectFrom('agents')
    .select('accessLevel')
    .where('id', '=', personId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return ACCESS_LEVELS.find((level) => level === row?.accessLevel);
}

/** The live project, when this person may see it: owners see all, others those that they are members of. */
export function findVisibleProject(
  db: Queryable,
  person: { readonly id: string; readonly accessLevel: AccessLevel },
  projectId: string,
): Promise<{ id: string; name: string; status: string } | undefined> {
  let query = db
    .selectFrom('projects')
    .select(['id', 'name', 'status'])
    .where('id', '=', projectId)
    .where('deletedAt', 'is', null);
  if (person.accessLevel !== 'owner') {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('projectAgents')
          .select('projectAgents.projectId')
          .whereRef('projectAgents.projectId', '=', 'projects.id')
          .where('projectAgents.agentId', '=', person.id),
      ),
    );
  }
  return query.executeTakeFirst();
}

/** Those that may see their project now, by the same rule. */
export async function visibleTo(db: Queryable, hearers: readonly Hearer[]): Promise<Hearer[]> {
  const { rows } = await sql<Hearer>`
    select w.project_id, w.person_id
    from unnest(${hearers.map(({ projectId }) => projectId)}::text[],
      ${hearers.map(({ personId }) => personId)}::text[]) as w (project_id, person_id)
    join projects p on p.id = w.project_id and p.deleted_at is null
    join agents a on a.id = w.person_id and a.type = 'human' and a.deleted_at is null
    where a.access_level = 'owner' or exists (select from project_agents m
      where m.project_id = w.project_id and m.agent_id = w.person_id)`.execute(db);
  return rows;
}
