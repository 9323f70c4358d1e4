import { sql } from 'kysely';
import type { Overview } from '../../contract/chat.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Person } from '../access/person.ts';

const MAX_PROJECTS = 100;
const MAX_AGENTS = 300;

export async function listOverviewProjects(db: Queryable, person: Person): Promise<Overview['projects']> {
  const mine =
    person.accessLevel === 'owner'
      ? sql``
      : sql`and exists (select from project_agents me where me.project_id = p.id and me.agent_id = ${person.id})`;
  const { rows } = await sql<Overview['projects'][number]>`
    select p.id, p.name, p.status from projects p
    where p.deleted_at is null and p.status <> 'archived' ${mine}
    order by p.created_at, p.id limit ${MAX_PROJECTS}`.execute(db);
  return rows;
}

/** An AI member with what waits for this person: unread messages, and a card that anybody may answer. */
export interface OverviewMember {
  readonly projectId: string;
  readonly agentId: string;
  readonly name: string;
  readonly unread: number;
  readonly asks: boolean;
}

export async function listOverviewMembers(
  db: Queryable,
  of: { humanId: string; projectIds: readonly string[] },
): Promise<OverviewMember[]> {
  const { rows } = await sql<OverviewMember>`
    select pa.project_id, pa.agent_id, a.name,
      coalesce((select t.news_count - coalesce((select r.news_count from read_marks r
          where r.human_id = ${of.humanId} and r.thread_id = t.id), 0)
        from chat_threads t where t.id = pa.project_id || '/' || pa.agent_id), 0)::int as unread,
      (exists (select from user_questions q where q.project_id = pa.project_id and q.agent_id = pa.agent_id
          and q.state = 'pending' and q.shown_at is not null)
        or exists (select from approvals q where q.project_id = pa.project_id and q.agent_id = pa.agent_id
          and q.state = 'pending')) as asks
    from project_agents pa join agents a on a.id = pa.agent_id and a.type = 'ai' and a.deleted_at is null
    where pa.project_id = any(${of.projectIds}::text[])
    order by array_position(${of.projectIds}::text[], pa.project_id), pa.created_at, pa.agent_id
    limit ${MAX_AGENTS}`.execute(db);
  return rows;
}
