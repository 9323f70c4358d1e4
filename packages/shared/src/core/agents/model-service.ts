import {
  type KnownModels,
  type KnownModelsQuery,
  type ModelOffer,
  modelOffersSchema,
} from '../../contract/models.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { type Person, requireOwner } from '../access/person.ts';
import type { ServiceDeps } from '../deps.ts';
import { AgentQueries } from './agent-queries.ts';
import { findOffer, saveOffer } from './model-queries.ts';
import { programKey } from './rules/program-key.ts';

/** Which models the providers of programs offer: their runners report it, nobody else can ask. */
export class ModelService {
  readonly #deps: Pick<ServiceDeps, 'database' | 'clock'>;

  constructor(deps: Pick<ServiceDeps, 'database' | 'clock'>) {
    this.#deps = deps;
  }

  /** Of the agent as it is set up now: it may have been changed since it was started. Idempotent. */
  async report({ agentId }: AgentCaller, models: readonly ModelOffer[]): Promise<void> {
    const { database, clock } = this.#deps;
    const agent = await new AgentQueries(database.db).find(agentId);
    if (!agent?.provider) return;
    const { provider, command } = agent;
    const program = programKey(command);
    await saveOffer(database.db, { agentId, provider, program, models, seenAt: clock.now() });
  }

  /** @throws AppError forbidden for people who are no owners. */
  async known(person: Person, query: KnownModelsQuery): Promise<KnownModels> {
    requireOwner(person);
    const found = await findOffer(this.#deps.database.db, { ...query, program: query.program ?? '' });
    if (!found) return { models: [], seenAt: null };
    return { models: modelOffersSchema.parse(found.models), seenAt: found.seenAt.toISOString() };
  }
}
