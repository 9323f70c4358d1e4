import type { MemoryQuery, MemorySearch, RetrievalRun, SearchMemoryBody } from '../../contract/memory.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Person } from '../access/person.ts';
import { requireMemory } from './memory-access.ts';
import type { Memory } from './recall.ts';
import { MemoryRetrieval } from './retrieval/memory-retrieval.ts';

export interface MemorySearchDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The memory service. */
  readonly memory: Memory;
}

/** A memory as people search it, and what an earlier search found and used. */
export class MemorySearchService {
  readonly #deps: MemorySearchDeps;
  /** Past runs are read from the database, also while the memory service is away. */
  readonly #runs: Pick<MemoryRetrieval, 'getRun'>;

  constructor(deps: MemorySearchDeps) {
    this.#deps = deps;
    this.#runs = new MemoryRetrieval(deps);
  }

  /** @throws AppError unavailable when the memory service is away. */
  async search(person: Person, agentId: string, body: SearchMemoryBody): Promise<MemorySearch> {
    const { database, memory } = this.#deps;
    const scope = await requireMemory(database.db, person, { agentId, projectId: body.projectId }, 'reads');
    return memory.search(scope, body);
  }

  async getRun(
    person: Person,
    { agentId, runId }: { agentId: string; runId: string },
    query: MemoryQuery,
  ): Promise<RetrievalRun> {
    const target = { agentId, projectId: query.projectId };
    const scope = await requireMemory(this.#deps.database.db, person, target, 'reads');
    const run = await this.#runs.getRun(scope, runId);
    if (!run) throw new AppError('retrieval_run_not_found', 'There is no such retrieval.');
    return run;
  }
}
