import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';

export interface AgentProfile {
  readonly agentId: string;
  readonly name: string;
  readonly role: string | null;
  readonly systemPrompt: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly labels: readonly string[];
  readonly project: {
    readonly projectId: string;
    readonly name: string;
    readonly description: string | null;
    readonly workingDirectory: string;
    readonly status: string;
  };
}

export interface ProjectAgent {
  readonly agentId: string;
  readonly name: string;
  readonly type: string;
  readonly role: string | null;
  readonly labels: readonly string[];
  readonly activeSessions: number;
}

/** Who is who in a project, as an agent of it sees them. */
export class AgentDirectory {
  readonly #database: Database;

  constructor(deps: { database: Database }) {
    this.#database = deps.database;
  }

  async profile(caller: AgentCaller): Promise<AgentProfile> {
    const row = await this.#database.db
      .selectFrom('agents as a')
      .innerJoin('projects as p', (join) => join.on('p.id', '=', caller.projectId))
      .select(['a.id', 'a.name', 'a.role', 'a.systemPrompt', 'a.provider', 'a.model', 'a.labels'])
      .select([
        'p.id as projectId',
        'p.name as projectName',
        'p.description',
        'p.workingDirectory',
        'p.status',
      ])
      .where('a.id', '=', caller.agentId)
      .executeTakeFirst();
    if (!row) throw new AppError('agent_not_found', 'This agent is not there any more.');
    const { id, projectId, projectName, description, workingDirectory, status, ...agent } = row;
    return {
      agentId: id,
      ...agent,
      project: { projectId, name: projectName, description, workingDirectory, status },
    };
  }

  /** Members, and the owners: they read and write everywhere. At most 500, by name. */
  async projectAgents(caller: AgentCaller): Promise<ProjectAgent[]> {
    const { rows } = await sql<ProjectAgent>`
      select a.id as agent_id, a.name, a.type, a.role, a.labels,
        (select count(*)::int from agent_sessions s where s.agent_id = a.id and s.project_id = ${caller.projectId}
          and s.state = 'active') as active_sessions
      from agents a
      where a.deleted_at is null and (a.access_level = 'owner' or exists (select from project_agents pa
        where pa.project_id = ${caller.projectId} and pa.agent_id = a.id))
      order by a.name, a.id limit 500`.execute(this.#database.db);
    return rows;
  }
}
