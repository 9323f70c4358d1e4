import type { Database } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import type { PermissionPolicy } from '../approvals/rules/permission-policy.ts';
import { findAgentInProject, listProjectAgents, type ProjectAgent } from './directory-queries.ts';

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
    readonly permissionPolicy: PermissionPolicy;
  };
}

/** The agents and people of a project, as an agent of the project sees them. */
export class AgentDirectory {
  readonly #database: Database;

  constructor(deps: { database: Database }) {
    this.#database = deps.database;
  }

  async profile(caller: AgentCaller): Promise<AgentProfile> {
    const row = await findAgentInProject(this.#database.db, caller);
    if (!row) throw new AppError('agent_not_found', 'This agent is not there any more.');
    const { id, projectId, projectName, ...rest } = row;
    const { description, workingDirectory, status, permissionPolicy, ...agent } = rest;
    return {
      agentId: id,
      ...agent,
      project: { projectId, name: projectName, description, workingDirectory, status, permissionPolicy },
    };
  }

  /** Members, and the owners, who read and write in every project. At most 500, by name. */
  async projectAgents(caller: AgentCaller): Promise<ProjectAgent[]> {
    return listProjectAgents(this.#database.db, caller.projectId);
  }
}
