import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { PERMISSION_POLICIES } from '../approvals/rules/permission-policy.ts';

const policySchema = z.enum(PERMISSION_POLICIES);

export interface ProjectAgent {
  readonly agentId: string;
  readonly name: string;
  readonly type: string;
  readonly role: string | null;
  readonly labels: readonly string[];
  readonly activeSessions: number;
}

/** An agent and a project; undefined: one of them does not exist. */
export async function findAgentInProject(db: Queryable, membership: { projectId: string; agentId: string }) {
  const row = await db
    .selectFrom('agents as a')
    .innerJoin('projects as p', (join) => join.on('p.id', '=', membership.projectId))
    .select(['a.id', 'a.name', 'a.role', 'a.systemPrompt', 'a.provider', 'a.model', 'a.labels'])
    .select(['p.id as projectId', 'p.name as projectName', 'p.description', 'p.workingDirectory', 'p.status'])
    .select('p.permissionPolicy')
    .where('a.id', '=', membership.agentId)
    .executeTakeFirst();
  return row && { ...row, permissionPolicy: policySchema.parse(row.permissionPolicy) };
}

/** Members, and the owners, who read and write in every project. At most 500, by name. */
export async function listProjectAgents(db: Queryable, projectId: string): Promise<ProjectAgent[]> {
  const { rows } = await sql<ProjectAgent>`
      select a.id as agent_id, a.name, a.type, a.role, a.labels,
        (select count(*)::int from agent_sessions s where s.agent_id = a.id and s.project_id = ${projectId}
          and s.state = 'active') as active_sessions
      from agents a
      where a.deleted_at is null and (a.access_level = 'owner' or exists (select from project_agents pa
        where pa.project_id = ${projectId} and pa.agent_id = a.id))
      order by a.name, a.id limit 500`.execute(db);
  return rows;
}
