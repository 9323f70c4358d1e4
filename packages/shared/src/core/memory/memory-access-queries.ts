import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { Person } from '../access/person.ts';

export interface MemoryOwnerRow {
  readonly type: string;
  /** It is in the project that was asked for; true without one. */
  readonly isInProject: boolean;
  readonly isDeleted: boolean;
  /** It is in a project that the caller may see. */
  readonly isVisible: boolean;
}

/** The agent whose memory is asked for, deleted or not; undefined: there is none. */
export async function findMemoryOwner(
  db: Queryable,
  person: Person,
  { agentId, projectId }: { agentId: string; projectId: string | undefined },
): Promise<MemoryOwnerRow | undefined> {
  const { rows } = await sql<MemoryOwnerRow>`
    select a.type, a.deleted_at is not null as is_deleted,
      ${projectId ?? null}::text is null or exists (select from project_agents pa
        where pa.agent_id = a.id and pa.project_id = ${projectId ?? null}) as is_in_project,
      ${person.accessLevel === 'owner'} or exists (select from project_agents pa
        join projects p on p.id = pa.project_id and p.deleted_at is null
        join project_agents own on own.project_id = pa.project_id and own.agent_id = ${person.id}
        where pa.agent_id = a.id) as is_visible
    from agents a where a.id = ${agentId}`.execute(db);
  return rows[0];
}

/** The projects of the agent that the caller may see and that are not archived. */
export async function projectsForImport(
  db: Queryable,
  person: Person,
  agentId: string,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select p.id from project_agents pa
    join projects p on p.id = pa.project_id and p.deleted_at is null and p.status <> 'archived'
    where pa.agent_id = ${agentId} and (${person.accessLevel === 'owner'} or exists (select from project_agents own
      where own.project_id = p.id and own.agent_id = ${person.id}))`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
