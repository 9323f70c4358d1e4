import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import {
  type AccessLevel,
  type Agent,
  type AgentCommand,
  type AgentExecutor,
  type AgentLimits,
  agentSchema,
} from '../../contract/agent.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { after, bytesOf, type PageOf, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { DB } from '../../platform/db/schema.ts';

export interface AgentFilter {
  readonly type?: Agent['type'] | undefined;
  /** Only the caller and those in a project with the caller. */
  readonly visibleTo?: string | undefined;
  readonly projectId?: string | undefined;
}

export interface NewAgent {
  readonly id: string;
  readonly type: Agent['type'];
  readonly name: string;
  readonly accessLevel: AccessLevel | null;
  readonly role: string | null;
  readonly systemPrompt: string | null;
  readonly provider: NonNullable<Agent['provider']> | null;
  readonly model: string | null;
  readonly baseUrl: string | null;
  readonly apiKeyEnv: string | null;
  readonly command: AgentCommand | null;
  readonly labels: readonly string[];
  readonly maxParallelTasks: number;
  readonly dailyTokenLimit: number | null;
  readonly limits: AgentLimits | null;
  readonly image: string | null;
  readonly executor: AgentExecutor;
}

/**
 * The agents with which a name is compared. `owners`: they write in every project. `project`: also its
 * members. `own`: also the members of all projects that the agent is in. `everywhere`: also the members of
 * any project.
 */
export type NameScope =
  | { readonly of: 'owners' | 'own' | 'everywhere' }
  | { readonly of: 'project'; readonly projectId: string };

/** A passkey as it is stored (passkey.ts, passkey-tags.ts). */
export interface StoredPasskey {
  readonly passkeyHash: string;
  readonly passkeyTag: number | null;
  readonly passkeyTagKey: string | null;
}

export interface Credential extends StoredPasskey {
  readonly type: string;
}

export type AgentValues = Partial<Omit<NewAgent, 'id' | 'type'>>;

const SIZE = bytesOf({ texts: ['agents.systemPrompt'], json: ['agents.command'] });

/** Agents that are not deleted, people included. */
export class AgentQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string, visibleTo?: string): Promise<Agent | undefined> {
    const row = await this.#select({ visibleTo }).where('agents.id', '=', id).executeTakeFirst();
    return row && toAgent(row);
  }

  /**
   * Locks the live agent against changes until the transaction ends; `undefined` when it does not exist any
   * more.
   */
  async lock(id: string): Promise<Agent | undefined> {
    // Foreign keys only need the id to stay: sessions and messages of the agent do not wait for this lock.
    await this.#db.selectFrom('agents').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    return this.find(id);
  }

  /**
   * When two owners lose their level at the same time, the second transaction sees the result of the first.
   */
  async lockOwners(): Promise<Set<string>> {
    const rows = await this.#db
      .selectFrom('agents')
      .select('id')
      .where('accessLevel', '=', 'owner')
      .where('deletedAt', 'is', null)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
    return new Set(rows.map((row) => row.id));
  }

  /** In the order of their creation; fewer than the limit when their prompts are long (PAGE_BYTES). */
  async list(filter: AgentFilter, page: PageRequest): Promise<PageOf<Agent>> {
    const found = await this.#select(filter)
      .clearSelect()
      .select(['agents.id', 'agents.createdAt', SIZE])
      .where(after('agents', page.cursor))
      .orderBy('agents.createdAt')
      .orderBy('agents.id')
      .limit(page.limit + 1)
      .execute();
    return readPage(found, page.limit, async (ids) => {
      const rows = await this.#select({})
        .where('agents.id', 'in', [...ids])
        .execute();
      return rows.map(toAgent);
    });
  }

  /** Names of other live agents and people. */
  async namesBeside(id: string, scope: NameScope): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('agents')
      .select('agents.name')
      .where('agents.deletedAt', 'is', null)
      .where('agents.id', '<>', id)
      .where((eb) =>
        eb.or([
          eb('agents.accessLevel', '=', 'owner'),
          ...(scope.of === 'owners' ? [] : [eb.exists(membershipsBeside(eb, id, scope))]),
        ]),
      )
      .execute();
    return rows.map((row) => row.name);
  }

  /** False: the id exists already, possibly for a deleted agent. */
  async insert(agent: NewAgent, now: Date): Promise<boolean> {
    const result = await this.#db
      .insertInto('agents')
      .values({
        ...toColumns(agent),
        id: agent.id,
        type: agent.type,
        name: agent.name,
        createdAt: now,
        updatedAt: now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }

  async update(id: string, values: AgentValues & { setUpAt?: Date }, now: Date): Promise<void> {
    await this.#db
      .updateTable('agents')
      .set({ ...toColumns(values), updatedAt: now })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
  }

  async remove(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('agents')
      .set({ deletedAt: now, updatedAt: now })
      .where('id', '=', id)
      .where('deletedAt', 'is', null)
      .execute();
    await this.#db.deleteFrom('agentCredentials').where('agentId', '=', id).execute();
  }

  async removeMemberships(id: string): Promise<void> {
    await this.#db.deleteFrom('projectAgents').where('agentId', '=', id).execute();
  }

  /** Of a live agent or person. */
  async credential(agentId: string): Promise<Credential | undefined> {
    return this.#db
      .selectFrom('agentCredentials')
      .innerJoin('agents', 'agents.id', 'agentCredentials.agentId')
      .select([
        'agentCredentials.passkeyHash',
        'agentCredentials.passkeyTag',
        'agentCredentials.passkeyTagKey',
        'agents.type',
      ])
      .where('agentCredentials.agentId', '=', agentId)
      .where('agents.deletedAt', 'is', null)
      .executeTakeFirst();
  }

  async setPasskey(agentId: string, passkey: StoredPasskey, now: Date): Promise<void> {
    await this.#db
      .insertInto('agentCredentials')
      .values({ agentId, ...passkey, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.column('agentId').doUpdateSet({ ...passkey, updatedAt: now }))
      .execute();
  }

  /** Does nothing when the passkey has changed meanwhile. */
  async renewPasskeyTag(agentId: string, { passkeyHash, ...tag }: StoredPasskey): Promise<void> {
    await this.#db
      .updateTable('agentCredentials')
      .set(tag)
      .where('agentId', '=', agentId)
      .where('passkeyHash', '=', passkeyHash)
      .execute();
  }

  async removePasskey(agentId: string): Promise<boolean> {
    const result = await this.#db
      .deleteFrom('agentCredentials')
      .where('agentId', '=', agentId)
      .executeTakeFirst();
    return result.numDeletedRows === 1n;
  }

  /** A ticket without a sign-in is equivalent to a passkey: it ends with the passkey. */
  async revokeUnusedTickets(agentId: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('launchTickets')
      .set({ revokedAt: now })
      .where('agentId', '=', agentId)
      .where('sessionId', 'is', null)
      .where('revokedAt', 'is', null)
      .execute();
  }

  #select(filter: AgentFilter) {
    return selectAgents(this.#db, filter);
  }
}

/** Of `agents`: the memberships in live projects that count for `scope`. */
function membershipsBeside(
  eb: ExpressionBuilder<DB, 'agents'>,
  id: string,
  scope: Exclude<NameScope, { of: 'owners' }>,
) {
  return eb
    .selectFrom('projectAgents as theirs')
    .innerJoin('projects', 'projects.id', 'theirs.projectId')
    .select('theirs.agentId')
    .whereRef('theirs.agentId', '=', 'agents.id')
    .where('projects.deletedAt', 'is', null)
    .$if(scope.of === 'project', (query) =>
      query.where('theirs.projectId', '=', scope.of === 'project' ? scope.projectId : ''),
    )
    .$if(scope.of === 'own', (query) =>
      query.where('theirs.projectId', 'in', (inner) =>
        inner.selectFrom('projectAgents as own').select('own.projectId').where('own.agentId', '=', id),
      ),
    );
}

function selectAgents(db: Queryable, filter: AgentFilter) {
  const { type, visibleTo, projectId } = filter;
  return db
    .selectFrom('agents')
    .leftJoin('agentCredentials', 'agentCredentials.agentId', 'agents.id')
    .select([
      'agents.id',
      'agents.name',
      'agents.type',
      'agents.accessLevel',
      'agents.role',
      'agents.systemPrompt',
      'agents.provider',
      'agents.model',
      'agents.baseUrl',
      'agents.apiKeyEnv',
      'agents.command',
      'agents.labels',
      'agents.maxParallelTasks',
      'agents.dailyTokenLimit',
      'agents.limits',
      'agents.image',
      'agents.executor',
      'agents.createdAt',
      'agents.updatedAt',
      'agents.setUpAt',
      'agentCredentials.agentId as credentialOf',
    ])
    .where('agents.deletedAt', 'is', null)
    .$if(type !== undefined, (query) => query.where('agents.type', '=', type ?? ''))
    .$if(projectId !== undefined, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('projectAgents')
            .select('projectAgents.agentId')
            .whereRef('projectAgents.agentId', '=', 'agents.id')
            .where('projectAgents.projectId', '=', projectId ?? ''),
        ),
      ),
    )
    .$if(visibleTo !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb('agents.id', '=', visibleTo ?? ''),
          eb.exists(
            eb
              .selectFrom('projectAgents as theirs')
              .innerJoin('projectAgents as own', 'own.projectId', 'theirs.projectId')
              .innerJoin('projects', 'projects.id', 'theirs.projectId')
              .select('theirs.agentId')
              .whereRef('theirs.agentId', '=', 'agents.id')
              .where('own.agentId', '=', visibleTo ?? '')
              .where('projects.deletedAt', 'is', null),
          ),
        ]),
      ),
    );
}

type SelectedAgent =
  ReturnType<typeof selectAgents> extends SelectQueryBuilder<DB, infer _Tables, infer Row> ? Row : never;

function toAgent({ credentialOf, createdAt, updatedAt, setUpAt, ...row }: SelectedAgent): Agent {
  const present = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  return agentSchema.parse({
    ...present,
    executor: row.type === 'human' ? undefined : row.executor,
    hasCredential: credentialOf !== null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    ...(setUpAt && { setUpAt: setUpAt.toISOString() }),
  });
}

/** jsonb takes text, arrays must be writable; fields that are not named are not changed. */
function toColumns<T extends AgentValues>({ command, labels, limits, ...values }: T) {
  return {
    ...values,
    ...(command !== undefined && { command: command === null ? null : JSON.stringify(command) }),
    ...(limits !== undefined && { limits: limits === null ? null : JSON.stringify(limits) }),
    ...(labels !== undefined && { labels: [...labels] }),
  };
}
