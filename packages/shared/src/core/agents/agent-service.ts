import type {
  Agent,
  AgentPage,
  CreateAgentBody,
  CreatedAgent,
  Invite,
  ListAgentsQuery,
  SetPasskeyBody,
  UpdateAgentBody,
} from '../../contract/agent.ts';
import { keys } from '../../platform/change-log/keys.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId, newSecret } from '../../platform/ids.ts';
import { hashToken } from '../../platform/token-hash.ts';
import { appendAudit } from '../access/audit-queries.ts';
import { type Person, requireOwner } from '../access/person.ts';
import { hashPasskey } from '../credentials/passkey.ts';
import { TokenQueries } from '../credentials/token-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { tellOfProjects } from '../projects/tell-of-projects.ts';
import { endSessionsOfAgent, tearDownAgent } from '../removal/remove.ts';
import { switchOffSchedulesOf } from '../schedules/switch-off-schedules.ts';
import { unassignTasks } from '../tasks/task-writes.ts';
import { AgentQueries, type AgentValues, type NewAgent, type StoredPasskey } from './agent-queries.ts';
import { agentView } from './agent-view.ts';
import { lockNames } from './name-lock-queries.ts';
import { requireFreeName, requireUnreservedName } from './names.ts';
import { commandFault, PROVIDERS } from './rules/providers.ts';
import { tidyLine } from './rules/single-line.ts';
import { changesSetUp } from './set-up.ts';

/** How long the link of an invitation can be used. */
const INVITE_MS = 24 * 3_600_000;

export type AgentServiceDeps = Pick<ServiceDeps, 'database' | 'passkeyTags' | 'passkeyCost'>;

/** Agents and people. Owners see and change all; others see those that are in a project with them. */
export class AgentService {
  readonly #deps: AgentServiceDeps;

  constructor(deps: AgentServiceDeps) {
    this.#deps = deps;
  }

  async list(person: Person, query: ListAgentsQuery): Promise<AgentPage> {
    const { rows, nextCursor } = await new AgentQueries(this.#deps.database.db).list(
      { type: query.type, visibleTo: visibleTo(person) },
      query,
    );
    return { agents: rows.map((agent) => agentView(person, agent)), nextCursor };
  }

  async get(person: Person, agentId: string): Promise<Agent> {
    return agentView(person, await this.#visible(person, agentId));
  }

  /**
   * With `passkey`, shown only here, when a credential was made: for AI agents unless `credential: false`.
   */
  async create(person: Person, body: CreateAgentBody): Promise<CreatedAgent> {
    requireOwner(person);
    const id = body.id ?? newId('agt');
    const passkey = (body.credential ?? body.type === 'ai') ? newSecret() : undefined;
    const stored = passkey === undefined ? undefined : await this.#stored(id, passkey);
    const { database } = this.#deps;
    const agent = await database.transaction(async (tx) => {
      await lockNames(tx.db);
      const agents = new AgentQueries(tx.db);
      const now = await tx.now();
      if (!(await agents.insert(toNewAgent(id, body), now)))
        throw new AppError('id_taken', 'This id is or was used by another agent. Choose a new one.');
      // It is in no project yet, but owners are in every project that it may join.
      await requireFreeName(
        tx,
        { id, name: body.name },
        { of: body.accessLevel === 'owner' ? 'everywhere' : 'owners' },
      );
      if (stored) await agents.setPasskey(id, stored, now);
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'agent.created',
        targetId: id,
        details: { type: body.type, credential: stored !== undefined },
      });
      return orMissing(await agents.find(id));
    });
    return { ...agent, ...(passkey !== undefined && { passkey }) };
  }

  /** Owners change everything; other people change only their own name and role. */
  async update(person: Person, agentId: string, body: UpdateAgentBody): Promise<Agent> {
    await this.#visible(person, agentId);
    requireChangeable(person, agentId, body);
    const { database } = this.#deps;
    return database.transaction(async (tx) => {
      if (body.name !== undefined || body.accessLevel === 'owner') await lockNames(tx.db);
      const agents = new AgentQueries(tx.db);
      if (body.accessLevel !== undefined && body.accessLevel !== 'owner')
        await requireOtherOwner(tx, agentId);
      const agent = orMissing(await agents.lock(agentId));
      requireFitting(agent, body);
      await requireFittingName(tx, agent, body);
      const values: AgentValues = Object.fromEntries(
        Object.entries(body).filter(([, value]) => value !== undefined),
      );
      const now = await tx.now();
      await agents.update(agentId, { ...values, ...(changesSetUp(agent, values) && { setUpAt: now }) }, now);
      if (body.accessLevel !== undefined) await switchOffSchedulesOf(tx, agentId, now);
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'agent.changed',
        targetId: agentId,
        details: {
          fields: Object.keys(values),
          ...(body.accessLevel && { accessLevel: body.accessLevel }),
        },
      });
      // An owner sees all projects, others those that they are members of.
      if (body.accessLevel !== undefined && body.accessLevel !== agent.accessLevel) await tellOfProjects(tx);
      if (agent.type === 'human') tx.dirty(keys.caller(agentId));
      // A task may have waited for the limit; another Coordinator may take what waits.
      if (body.maxParallelTasks !== undefined || body.executor !== undefined) tx.dirty(keys.work);
      // What a lower limit refuses, and the tasks that a higher one lets go on.
      if (body.dailyTokenLimit !== undefined) tx.dirty(keys.deadline);
      return agentView(person, orMissing(await agents.find(agentId)));
    });
  }

  /** The deletion is soft: its messages stay, its id is never used again. */
  async remove(person: Person, agentId: string): Promise<void> {
    await this.#visible(person, agentId);
    requireOwner(person);
    await this.#deps.database.transaction(async (tx) => {
      await requireOtherOwner(tx, agentId);
      const agents = new AgentQueries(tx.db);
      const agent = orMissing(await agents.lock(agentId));
      const now = await tx.now();
      await tearDownAgent(tx, agentId, now);
      await agents.removeMemberships(agentId);
      await unassignTasks(tx, { agentId, byId: person.id }, now);
      await agents.remove(agentId, now);
      if (agent.type === 'human') await switchOffSchedulesOf(tx, agentId, now);
      await new TokenQueries(tx.db).endAll(agentId, now);
      await appendAudit(tx.db, {
        actorId: person.id,
        action: 'agent.deleted',
        targetId: agentId,
        details: { type: agent.type },
      });
      await tellOfProjects(tx);
      tx.dirty(keys.caller(agentId));
      tx.dirty(keys.work);
    });
  }

  /**
   * Sets the given passkey or a generated one. This ends the person's logins, API tokens and browsers' device
   * cookies, and unused tickets.
   */
  async setPasskey(person: Person, agentId: string, body: SetPasskeyBody): Promise<{ passkey: string }> {
    await this.#visible(person, agentId);
    requireOwner(person);
    const passkey = body?.passkey ?? newSecret();
    const stored = await this.#stored(agentId, passkey);
    await this.#deps.database.transaction(async (tx) => {
      const agents = new AgentQueries(tx.db);
      orMissing(await agents.lock(agentId));
      const now = await tx.now();
      await agents.setPasskey(agentId, stored, now);
      await this.#endSignIns(tx, person, agentId, now);
      await appendAudit(tx.db, { actorId: person.id, action: 'passkey.set', targetId: agentId });
      // A waiting start may have been held because the agent had no credential.
      tx.dirty(keys.work);
    });
    return { passkey };
  }

  /**
   * A code that signs this person in, once, within a day, as long as who has made it is an owner. It ends nothing that the
   * person has.
   */
  async invite(person: Person, agentId: string): Promise<Invite> {
    await this.#visible(person, agentId);
    requireOwner(person);
    const code = newSecret();
    const expiresAt = await this.#deps.database.transaction(async (tx) => {
      const agent = orMissing(await new AgentQueries(tx.db).lock(agentId));
      if (agent.type !== 'human') throw new AppError('agent_not_found', 'There is no such person.');
      const until = new Date((await tx.now()).getTime() + INVITE_MS);
      await new TokenQueries(tx.db).insertCode({
        codeHash: hashToken(code),
        agentId,
        expiresAt: until,
        invitedBy: person.id,
      });
      await appendAudit(tx.db, { actorId: person.id, action: 'invite.created', targetId: agentId });
      return until;
    });
    return { code, expiresAt: expiresAt.toISOString() };
  }

  /**
   * Ends everything that a new passkey would end; sessions of an AI agent are refused from the next call on.
   * Idempotent. The last owner cannot lose the passkey: 409 last_owner.
   */
  async removePasskey(person: Person, agentId: string): Promise<void> {
    await this.#visible(person, agentId);
    requireOwner(person);
    await this.#deps.database.transaction(async (tx) => {
      await requireOtherOwner(tx, agentId);
      const agents = new AgentQueries(tx.db);
      orMissing(await agents.lock(agentId));
      if (!(await agents.removePasskey(agentId))) return;
      const now = await tx.now();
      // This comes first, because it locks the agent's memberships.
      await endSessionsOfAgent(tx, agentId, now);
      await this.#endSignIns(tx, person, agentId, now);
      await appendAudit(tx.db, { actorId: person.id, action: 'passkey.removed', targetId: agentId });
    });
  }

  async #endSignIns(tx: Tx, person: Person, agentId: string, now: Date): Promise<void> {
    await new AgentQueries(tx.db).revokeUnusedTickets(agentId, now);
    const tokens = new TokenQueries(tx.db);
    if (person.id === agentId) await tokens.dropCodes(agentId);
    else await tokens.endAll(agentId, now);
    tx.dirty(keys.caller(agentId));
  }

  async #stored(agentId: string, passkey: string): Promise<StoredPasskey> {
    const { passkeyTags, passkeyCost } = this.#deps;
    return {
      passkeyHash: await hashPasskey(passkey, passkeyCost),
      ...passkeyTags.make(agentId, passkey),
    };
  }

  async #visible(person: Person, agentId: string): Promise<Agent> {
    return orMissing(await new AgentQueries(this.#deps.database.db).find(agentId, visibleTo(person)));
  }
}

function visibleTo(person: Person): string | undefined {
  return person.accessLevel === 'owner' ? undefined : person.id;
}

function toNewAgent(id: string, body: CreateAgentBody): NewAgent {
  const isHuman = body.type === 'human';
  return {
    id,
    type: body.type,
    name: body.name,
    accessLevel: isHuman ? (body.accessLevel ?? 'member') : null,
    role: body.role ?? null,
    systemPrompt: body.systemPrompt ?? null,
    provider: isHuman ? null : (body.provider ?? 'builtin'),
    model: body.model ?? null,
    baseUrl: body.baseUrl ?? null,
    apiKeyEnv: body.apiKeyEnv ?? null,
    command: body.command ?? null,
    labels: body.labels ?? [],
    maxParallelTasks: body.maxParallelTasks ?? 1,
    dailyTokenLimit: body.dailyTokenLimit ?? null,
    limits: body.limits ?? null,
    image: body.image ?? null,
    executor: body.executor ?? 'any',
  };
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['name', 'role']);

function requireChangeable(person: Person, agentId: string, body: UpdateAgentBody): void {
  if (person.id === agentId && Object.keys(body).every((field) => OWN_FIELDS.has(field))) return;
  requireOwner(person);
}

const AI_FIELDS = [
  'provider',
  'model',
  'baseUrl',
  'apiKeyEnv',
  'command',
  'maxParallelTasks',
  'dailyTokenLimit',
  'limits',
  'image',
  'executor',
] as const;

/**
 * Checks that the body alone does not allow: fields of the other type, and a program if and only if the
 * provider takes one.
 */
function requireFitting(agent: Agent, body: UpdateAgentBody): void {
  if (agent.type === 'human') {
    const wrong = AI_FIELDS.filter((field) => body[field] !== undefined);
    if (wrong.length > 0)
      throw new AppError('invalid_input', `${wrong.join(', ')}: only for an agent of type ai.`);
    return;
  }
  if (body.accessLevel !== undefined)
    throw new AppError('invalid_input', 'accessLevel: only for an agent of type human.');
  const provider = body.provider ?? agent.provider ?? 'builtin';
  // An agent keeps its command when its provider changes, for the way back.
  const command =
    body.command === undefined && PROVIDERS[provider].takesCommand ? agent.command : body.command;
  const fault = commandFault(provider, Boolean(command));
  if (fault !== undefined) throw new AppError('invalid_input', `command: ${fault}.`);
}

/** A name that does not change is never refused, even when the body repeats it. */
async function requireFittingName(tx: Tx, agent: Agent, body: UpdateAgentBody): Promise<void> {
  const { id, type } = agent;
  const accessLevel = body.accessLevel ?? agent.accessLevel;
  const name = body.name ?? agent.name;
  const isRenamed = name !== agent.name && name !== tidyLine(agent.name);
  if (isRenamed) requireUnreservedName({ name, type, accessLevel });
  const becomesOwner = accessLevel === 'owner' && agent.accessLevel !== 'owner';
  if (isRenamed || becomesOwner)
    await requireFreeName(tx, { id, name }, { of: accessLevel === 'owner' ? 'everywhere' : 'own' });
}

async function requireOtherOwner(tx: Tx, agentId: string): Promise<void> {
  const owners = await new AgentQueries(tx.db).lockOwners();
  if (owners.has(agentId) && owners.size === 1)
    throw new AppError('last_owner', 'This is the last owner. Make somebody else an owner first.');
}

function orMissing(agent: Agent | undefined): Agent {
  if (!agent) throw new AppError('agent_not_found', 'There is no such agent, or you may not see it.');
  return agent;
}
