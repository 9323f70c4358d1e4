import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { type Database, openDatabase } from '@aizuchi/shared/platform/db/database';
import { z } from 'zod';
import { databaseUrlOf, readServices, until } from '../../tests/e2e/start/product-process.ts';
import { makeAgentProgram } from '../../tests/fixtures/agent-program.ts';
import { type RunningProduct, startProduct } from '../commands/product.ts';
import { findTestPort } from '../postgres/free-port.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { Observer } from './observer.ts';
import { Person } from './person.ts';
import { RECORD_FILE } from './record-lines.ts';
import { ResponseCutter } from './response-cutter.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** An agent that clients write to: a built-in one, or one that records what it was given. */
export interface ChaosPair extends MembershipKey {
  readonly folder: string;
  /** The file of a recording agent; undefined for a built-in one. */
  readonly record?: string;
  /** The agent with which a recording agent starts conversations when it is asked to. */
  readonly partnerId?: string;
}

/** The whole product on a throw-away home, with proxies between agents and mcp-server, and an observer. */
export class ChaosWorld {
  readonly product: RunningProduct;
  /** The proxy for connections. All traffic between agents and mcp-server passes it and then the cutter. */
  readonly proxy: CuttingProxy;
  /** The proxy for whole answers. */
  readonly cutter: ResponseCutter;
  readonly person: Person;
  readonly pairs: ChaosPair[] = [];
  readonly observers: Observer[] = [];
  #database: Database;
  #smallDisk: SmallDisk | undefined;
  readonly #further: RunningProduct[] = [];
  #closing: Promise<boolean> | undefined;

  private constructor(
    product: RunningProduct,
    between: { proxy: CuttingProxy; cutter: ResponseCutter },
    database: Database,
  ) {
    this.product = product;
    this.proxy = between.proxy;
    this.cutter = between.cutter;
    this.#database = database;
    this.person = new Person(this.url);
  }

  static async open(): Promise<ChaosWorld> {
    const mcpPort = await findTestPort();
    const cutter = await ResponseCutter.open(mcpPort);
    const proxy = await CuttingProxy.open(cutter.port);
    const product = await startProduct({
      MCP_PORT: String(mcpPort),
      // The Coordinator and every agent reach the mcp-server through the proxy.
      AIZUCHI_MCP_URL: `http://127.0.0.1:${proxy.port}/mcp`,
      AIZUCHI_ALLOWED_HOSTS: '127.0.0.1',
      COORDINATOR_ID: 'first',
      RATE_LIMIT_PER_MINUTE: '0',
      // The limits exist to stop this much conversation, so they are raised.
      CHAIN_MAX_MESSAGES: '1000000',
      PROJECT_AGENT_MESSAGES_PER_HOUR: '0',
    });
    const home = product.environment.AIZUCHI_HOME ?? '';
    const world = new ChaosWorld(product, { proxy, cutter }, await openDatabaseOf(home));
    await world.person.signIn('owner', product.environment.AIZUCHI_OWNER_PASSKEY ?? '');
    return world;
  }

  get home(): string {
    return this.product.environment.AIZUCHI_HOME ?? '';
  }

  get url(): string {
    return this.product.environment.AIZUCHI_WEB_URL ?? '';
  }

  get roots(): string {
    return this.product.environment.AIZUCHI_WORKSPACE_ROOTS ?? '';
  }

  /** Returns and clears the responses that a client must never get. */
  takeComplaints(): string[] {
    return [this.person, ...this.observers].flatMap(({ complaints }) => complaints.splice(0));
  }

  /** Makes a project with one built-in and two recording agents, all warm, and an observer. */
  async makeProject(name: string, folder = join(this.roots, name)): Promise<void> {
    const projectId = `prj_${name}`;
    await this.person.call(z.unknown(), 'POST', '/projects', {
      id: projectId,
      name,
      workingDirectory: folder,
    });
    const builtin = { projectId, agentId: `agt_${name}_builtin`, folder };
    await this.#makeAgent(builtin, {});
    this.pairs.push(builtin);
    const [one, other] = [`agt_${name}_recording`, `agt_${name}_partner`] as const;
    for (const [agentId, partnerId] of [[one, other] as const, [other, one] as const]) {
      const program = await makeAgentProgram(
        this.home,
        agentId,
        new URL('recording-agent.ts', import.meta.url),
      );
      const record = join(program.control, RECORD_FILE);
      const membership = { projectId, agentId, folder, record, partnerId };
      await this.#makeAgent(membership, { provider: 'command', command: program.command });
      this.pairs.push(membership);
    }
    this.observers.push(new Observer(this.url, this.person.token, projectId));
  }

  /** Makes a project on a disk that can be filled, if this account may mount one. */
  async makeFillableProject(name: string): Promise<void> {
    const folder = join(this.roots, name);
    await mkdir(folder, { recursive: true });
    this.#smallDisk = await mountSmallDisk(folder);
    await this.makeProject(name, folder);
  }

  get hasSmallDisk(): boolean {
    return this.#smallDisk !== undefined;
  }

  /** Call it after `product.end()`. The embedded Postgres then has another port. */
  async startAgain(): Promise<void> {
    await this.product.startAgain();
    await this.#database.close();
    this.#database = await openDatabaseOf(this.home);
  }

  /** Reads rows; repeats the query while the database is not available. */
  async rows<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.inDatabase(async ({ pool }) => (await pool.query<T>(text, values)).rows);
  }

  /** Repeats `work` if Postgres was killed during it, so that no round fails because of our own connection. */
  async inDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    let result: { value: T } | undefined;
    let failure: unknown;
    await until(async () => {
      try {
        result = { value: await work(this.#database) };
      } catch (error) {
        failure = error;
      }
      return result !== undefined;
    }).catch(() => {
      throw failure;
    });
    if (!result) throw failure;
    return result.value;
  }

  async servicePid(name: string, home = this.home): Promise<number> {
    const entry = (await readServices(home)).find((service) => service.name === name);
    if (!entry) throw new Error(`${name} does not run`);
    return entry.pid;
  }

  /** The process of the agent's live run, as soon as there is one. */
  async agentRun(membership: MembershipKey): Promise<{ pid: number; coordinator: string }> {
    let found: { pid: number; coordinator: string } | undefined;
    await until(async () => {
      [found] = await this.rows<{ pid: number; coordinator: string }>(
        `select r.pid, r.coordinator_id as coordinator from agent_runs r join agent_sessions s on s.run_id = r.id
         where r.agent_id = $1 and r.project_id = $2 and r.state = 'running' and r.pid is not null and s.state = 'active'`,
        [membership.agentId, membership.projectId],
      );
      return found !== undefined;
    });
    if (!found) throw new Error(`${membership.agentId} does not run`);
    return found;
  }

  async untilAnswered(messageId: string, timeoutMs: number): Promise<void> {
    await until(async () => {
      const [row] = await this.rows<{ state: string }>('select state from chat_messages where id = $1', [
        messageId,
      ]);
      return row?.state === 'answered';
    }, timeoutMs);
  }

  /** Registers another started product, which is ended together with this one. */
  closesToo(product: RunningProduct): void {
    this.#further.push(product);
  }

  /** Returns false if something did not end cleanly. */
  close(): Promise<boolean> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<boolean> {
    await Promise.all(this.observers.map((observer) => observer.close()));
    await this.#database.close();
    await this.#smallDisk?.release();
    const stopped = await Promise.all([this.product, ...this.#further].map((product) => product.stop()));
    await this.proxy.close();
    await this.cutter.close();
    return stopped.every(Boolean);
  }

  async #makeAgent(membership: ChaosPair, extra: object): Promise<void> {
    const { person } = this;
    await mkdir(membership.folder, { recursive: true });
    await person.call(z.unknown(), 'POST', '/agents', {
      id: membership.agentId,
      name: membership.agentId,
      type: 'ai',
      ...extra,
    });
    await person.call(z.unknown(), 'PUT', `/projects/${membership.projectId}/agents/${membership.agentId}`);
    const chat = `/projects/${membership.projectId}/agents/${membership.agentId}/chat`;
    await person.call(z.unknown(), 'POST', `${chat}/start`, { viewerId: 'chaos' });
  }
}

async function openDatabaseOf(home: string): Promise<Database> {
  // Our queries read all rows ever written, and the product's limit is too short for them.
  const transactionTimeoutMs = 60_000;
  return openDatabase({ url: await databaseUrlOf(home), maxConnections: 3, transactionTimeoutMs });
}
