import type { AgentUsageQuery, AgentUsageReport } from '../../contract/usage.ts';
import { AppError } from '../../platform/errors.ts';
import type { Person } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { UsageService } from '../usage/usage-service.ts';
import { AgentQueries } from './agent-queries.ts';

/** What an agent has used in the projects that the reader may see. */
export class AgentUsageService {
  readonly #database: ServiceDeps['database'];
  readonly #usage: UsageService;

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock' | 'config'>) {
    this.#database = deps.database;
    this.#usage = new UsageService(deps);
  }

  /** @throws AppError agent_not_found, also for what the person may not see; invalid_input for a range that is none. */
  async ofAgent(person: Person, agentId: string, query: AgentUsageQuery): Promise<AgentUsageReport> {
    const visibleTo = person.accessLevel === 'owner' ? undefined : person.id;
    const agent = await new AgentQueries(this.#database.db).find(agentId, visibleTo);
    if (!agent) throw new AppError('agent_not_found', 'There is no such agent, or you may not see it.');
    return this.#usage.ofAgent(person, agentId, query);
  }
}
