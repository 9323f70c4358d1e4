import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import type { AccessLevel } from '@aizuchi/shared/contract/agent';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { Memory } from '@aizuchi/shared/core/memory/recall';
import { MemoryRetrieval } from '@aizuchi/shared/core/memory/retrieval/memory-retrieval';
import type { RestConfig } from '@aizuchi/shared/platform/config/config';
import { retentionFromEnv } from '@aizuchi/shared/platform/config/retention';
import { type Database, openDatabase } from '@aizuchi/shared/platform/db/database';
import { newId } from '@aizuchi/shared/platform/ids';
import { createLogger } from '@aizuchi/shared/platform/logger';
import type { SilenceLimits } from '@aizuchi/shared/platform/models/watchdog';
import { FakeClock } from '@aizuchi/shared/testing/fake-clock';
import { QUICK_PASSKEYS } from '@aizuchi/shared/testing/quick-passkeys';
import { createTestDatabase, type TestDatabase } from '@aizuchi/shared/testing/test-database';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import type { InjectOptions } from 'fastify';
import { type AppOptions, buildApp, portOf, type RestApp } from '../src/app.ts';
import { buildContext, type RestProcess } from '../src/context.ts';

export interface RestWorldOptions extends AppOptions {
  readonly config?: Partial<Omit<RestConfig, 'server'>> & { server?: Partial<RestConfig['server']> };
  /** Instead of the memory service. */
  readonly memory?: Memory;
  /** How long a model may say nothing. */
  readonly silence?: SilenceLimits;
  /** The memory is searched in this process. */
  readonly isRemembering?: boolean;
  /** Also listen to the database, as in production. */
  readonly isRunning?: boolean;
}

export interface Caller extends Person {
  readonly token: string;
}

/** A partial answer that a busy machine lets fall with its line is never sent again. */
const HINT_LIMITS = { connectMs: LONG_TIMEOUT_MS, answerMs: LONG_TIMEOUT_MS };
const OWNER: Person = { id: 'owner', name: 'Owner', accessLevel: 'owner' };

/** The whole process on a real database and a real port, with a clock that a test can move. */
export class RestWorld {
  readonly clock: FakeClock;
  readonly context: RestProcess;
  readonly app: RestApp;
  readonly root: string;
  readonly port: number;
  /** Every line of the log. */
  readonly log: string[];
  readonly #database: TestDatabase;
  readonly #remembered: Database | undefined;
  #owner: Caller | undefined;
  #isStopped = false;

  private constructor(
    parts: Pick<RestWorld, 'clock' | 'context' | 'app' | 'root' | 'port' | 'log'>,
    database: TestDatabase,
    remembered: Database | undefined,
  ) {
    this.clock = parts.clock;
    this.context = parts.context;
    this.app = parts.app;
    this.root = parts.root;
    this.port = parts.port;
    this.log = parts.log;
    this.#database = database;
    this.#remembered = remembered;
  }

  static async create(options: RestWorldOptions = {}): Promise<RestWorld> {
    const database = await createTestDatabase();
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'aizuchi-rest-')));
    const clock = new FakeClock();
    const log: string[] = [];
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        log.push(chunk.toString());
        done();
      },
    });
    const logger = createLogger('rest-api', { level: 'debug', destination });
    const remembered = options.isRemembering ? openDatabase({ url: database.url }) : undefined;
    const memory = remembered
      ? new MemoryRetrieval({ database: remembered, clock, logger, stepMs: () => LONG_TIMEOUT_MS })
      : options.memory;
    const context = buildContext(configOf(database.url, root, options), logger, {
      clock,
      passkeyCost: QUICK_PASSKEYS,
      transactionTimeoutMs: LONG_TIMEOUT_MS,
      transcriptTimeoutMs: LONG_TIMEOUT_MS,
      hintLimits: HINT_LIMITS,
      ...(memory && { memory }),
      ...(options.silence && { silence: options.silence }),
    });
    const app = await buildApp(context, { checkResponses: true, ...options });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    if (options.isRunning) await context.start(app.sockets);
    const port = portOf(app.server) ?? 0;
    const world = new RestWorld({ clock, context, app, root, port, log }, database, remembered);
    await world.context.database.db
      .insertInto('agents')
      .values({ id: OWNER.id, type: 'human', name: OWNER.name, accessLevel: 'owner' })
      .execute();
    return world;
  }

  /** Starts another process on the same database. */
  async second(options: RestWorldOptions = {}): Promise<{ port: number; stop(): Promise<void> }> {
    const logger = createLogger('rest-api', { level: 'silent' });
    const context = buildContext(configOf(this.context.database.url, this.root, options), logger, {
      clock: this.clock,
      hintLimits: HINT_LIMITS,
      ...(options.memory && { memory: options.memory }),
    });
    const app = await buildApp(context, { checkResponses: true, ...options });
    await app.server.listen({ host: '127.0.0.1', port: 0 });
    await context.start(app.sockets);
    return {
      port: portOf(app.server) ?? 0,
      stop: async () => {
        await app.server.close();
        await context.stop();
      },
    };
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.context.stopTurns();
    await this.app.server.close();
    await this.context.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#remembered?.close();
    await this.#database.drop();
    await rm(this.root, { recursive: true, force: true });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async owner(): Promise<Caller> {
    this.#owner ??= await this.tokenFor(OWNER);
    return this.#owner;
  }

  async person(
    accessLevel: AccessLevel,
    options: { projects?: readonly string[]; passkey?: string } = {},
  ): Promise<Caller> {
    const id = newId('agt').replace('agt_', 'person_');
    const { agents, projects } = this.context;
    await agents.create(OWNER, { id, name: id, type: 'human', accessLevel });
    if (options.passkey !== undefined) await agents.setPasskey(OWNER, id, { passkey: options.passkey });
    for (const projectId of options.projects ?? [])
      await projects.putAgent(OWNER, { projectId, agentId: id });
    return this.tokenFor({ id, name: id, accessLevel });
  }

  async tokenFor(person: Person): Promise<Caller> {
    const { token } = await this.context.auth.createToken(person, { name: 'test' });
    return { ...person, token };
  }

  /** Creates a project with one built-in agent. */
  async project(): Promise<{ projectId: string; agentId: string }> {
    const { agents, projects } = this.context;
    const project = await projects.create(OWNER, { name: 'Test' });
    const agent = await agents.create(OWNER, { name: 'Worker', type: 'ai' });
    await projects.putAgent(OWNER, { projectId: project.id, agentId: agent.id });
    return { projectId: project.id, agentId: agent.id };
  }

  async call(
    caller: { token: string } | undefined,
    method: Method,
    url: string,
    body?: unknown,
    options: InjectOptions = {},
  ) {
    const response = await this.app.server.inject({
      method,
      url,
      ...options,
      headers: {
        host: `127.0.0.1:${this.port}`,
        ...(caller && { authorization: `Bearer ${caller.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: isJson ? response.json() : undefined,
    };
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'HEAD';

function configOf(databaseUrl: string, root: string, { config = {} }: RestWorldOptions): RestConfig {
  return {
    home: path.join(root, 'home'),
    logLevel: 'debug',
    locale: 'ja',
    timeZone: 'Asia/Tokyo',
    databaseUrl,
    settings: {},
    retention: retentionFromEnv({}),
    rateLimitPerMinute: 0,
    internalToken: 'internal-token-for-tests',
    workspaceRoots: [root],
    models: {},
    notifyHosts: [],
    ...config,
    server: {
      host: '127.0.0.1',
      port: 0,
      isLoopback: true,
      allowedHosts: [],
      trustProxy: false,
      ...config.server,
    },
  };
}
