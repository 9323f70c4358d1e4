import { randomBytes } from 'node:crypto';
import { createdAgentSchema } from '@aizuchi/shared/contract/agent';
import { projectSchema } from '@aizuchi/shared/contract/project';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { z } from 'zod';
import { readServices } from '../../tests/e2e/start/product-process.ts';
import { type RunningProduct, startProduct } from '../commands/product.ts';
import type { Against } from './arguments.ts';
import { NotHere } from './attack.ts';
import { Host } from './host.ts';
import { ask, jsonOf } from './support/ask.ts';
import { callTool } from './support/call-tool.ts';
import { Caller } from './support/caller.ts';

export interface Person {
  readonly id: string;
  readonly passkey: string;
  readonly caller: Caller;
}

export interface Agent {
  readonly id: string;
  readonly passkey: string;
}

type Place = Against & { readonly memory?: string | undefined; readonly isInContainers?: boolean };

const loginSchema = z.object({ token: z.string(), csrf: z.string(), agent: z.object({ name: z.string() }) });

/** The product as seen from outside, and everything that the attacks create in it, which is removed at the end. */
export class World {
  readonly web: string;
  /** The address of MCP, with its path. */
  readonly mcp: string;
  readonly coordinator: string | undefined;
  /** Undefined for an installation that the probe has not started. */
  readonly memory: string | undefined;
  /** Undefined for an installation that the probe has not started. */
  readonly host: Host | undefined;
  /** Runs live in containers of an engine on this host. */
  readonly isInContainers: boolean;
  readonly #passkey: string;
  readonly #product: RunningProduct | undefined;
  readonly #made: string[] = [];
  #owner: { caller: Caller; name: string } | undefined;
  #closing: Promise<boolean> | undefined;

  private constructor(place: Place, product?: RunningProduct) {
    this.web = place.web;
    this.mcp = place.mcp;
    this.coordinator = place.coordinator;
    this.memory = place.memory;
    this.isInContainers = place.isInContainers ?? false;
    this.#passkey = place.passkey;
    this.#product = product;
    const { AIZUCHI_HOME, AIZUCHI_WORKSPACE_ROOTS } = product?.environment ?? {};
    if (AIZUCHI_HOME && AIZUCHI_WORKSPACE_ROOTS) this.host = new Host(AIZUCHI_HOME, AIZUCHI_WORKSPACE_ROOTS);
  }

  /**
   * Starts the whole product on a throw-away home, with the settings of a first start. `forContainers`: those with which
   * its runs live in containers.
   */
  static async ofOurOwn(forContainers?: Record<string, string>): Promise<World> {
    const product = await startProduct(forContainers);
    const {
      AIZUCHI_WEB_URL = '',
      AIZUCHI_MCP_URL = '',
      AIZUCHI_OWNER_PASSKEY = '',
      AIZUCHI_HOME = '',
    } = product.environment;
    const entries = await readServices(AIZUCHI_HOME);
    const coordinator = entries.find(({ name }) => name === 'coordinator')?.url;
    const memory = entries.find(({ name }) => name === 'memory')?.url;
    const place = {
      web: AIZUCHI_WEB_URL,
      mcp: AIZUCHI_MCP_URL,
      ...(coordinator !== undefined && { coordinator }),
      memory,
      passkey: AIZUCHI_OWNER_PASSKEY,
      isInContainers: forContainers !== undefined,
    };
    return World.#signedIn(new World(place, product));
  }

  static against(place: Against): Promise<World> {
    return World.#signedIn(new World(place));
  }

  static async #signedIn(world: World): Promise<World> {
    try {
      const { caller, name } = await world.signIn('owner', world.#passkey);
      world.#owner = { caller, name };
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  get owner(): Caller {
    if (!this.#owner) throw new Error('The owner is not signed in.');
    return this.#owner.caller;
  }

  get ownersName(): string {
    return this.#owner?.name ?? '';
  }

  get machine(): Host {
    if (!this.host) throw new NotHere('needs the host');
    return this.host;
  }

  get isRoot(): boolean {
    return process.getuid?.() === 0;
  }

  /** A unique word. */
  word(): string {
    return randomBytes(5).toString('hex');
  }

  /**
   * An address of loopback for the clients of one attack, so that limits which another attack has reached do not
   * apply. Undefined if loopback has one address only, or if a proxy hides the address.
   */
  address(last: number): string | undefined {
    const isOurs = this.host !== undefined && process.platform === 'linux';
    return isOurs && new URL(this.web).hostname === '127.0.0.1' ? `127.0.0.${last}` : undefined;
  }

  async signIn(agentId: string, passkey: string, from?: string) {
    const answer = await ask(this.web, '/api/auth/login', { body: { agentId, passkey }, from });
    if (answer.status !== 200) throw new Error(`${agentId} cannot sign in: ${answer.status} ${answer.text}`);
    const { token, csrf, agent } = loginSchema.parse(jsonOf(answer));
    const cookies = (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0] ?? '');
    return { caller: new Caller(this.web, token, from), csrf, cookie: cookies.join('; '), name: agent.name };
  }

  /** Creates a project in the given folder, or in one that the product creates. */
  async makeProject(workingDirectory?: string) {
    const id = `prj_probe_${this.word()}`;
    const project = await this.owner.get(projectSchema, 'POST', '/projects', {
      id,
      name: id,
      workingDirectory,
    });
    this.remember(`/projects/${id}`);
    return { id, folder: project.workingDirectory ?? '' };
  }

  async makeAgent(projectId: string | undefined, more: object = {}): Promise<Agent> {
    const id = `agt_probe_${this.word()}`;
    const body = { id, name: id, type: 'ai', ...more };
    const { passkey = '' } = await this.owner.get(createdAgentSchema, 'POST', '/agents', body);
    this.remember(`/agents/${id}`);
    if (projectId !== undefined) await this.owner.send('PUT', `/projects/${projectId}/agents/${id}`);
    return { id, passkey };
  }

  async makePerson(
    accessLevel: 'owner' | 'member' | 'viewer',
    projectIds: readonly string[] = [],
  ): Promise<Person> {
    const id = `agt_probe_${this.word()}`;
    await this.owner.send('POST', '/agents', { id, name: id, type: 'human', accessLevel });
    this.remember(`/agents/${id}`);
    const set = await this.owner.get(z.object({ passkey: z.string() }), 'POST', `/agents/${id}/passkey`, {});
    for (const projectId of projectIds) await this.owner.send('PUT', `/projects/${projectId}/agents/${id}`);
    const { caller } = await this.signIn(id, set.passkey);
    return { id, passkey: set.passkey, caller };
  }

  /** Creates a project with an agent that the probe signs in itself: the product starts nothing for it. */
  async makeSession(more: object = {}) {
    const project = await this.makeProject();
    const agent = await this.makeAgent(project.id, more);
    return { ...project, agent, token: await this.authenticate(agent, project.id) };
  }

  async authenticate(agent: Agent, projectId: string): Promise<string> {
    const args = { agent_id: agent.id, passkey: agent.passkey, project_id: projectId };
    const { result, text } = await callTool(this.mcp, 'authenticate', args);
    if (typeof result.session_token !== 'string') throw new Error(`${agent.id} cannot sign in: ${text}`);
    return result.session_token;
  }

  /** Registers a path to be removed at the end. */
  remember(path: string): void {
    this.#made.push(path);
  }

  close(): Promise<boolean> {
    this.#closing ??= this.#product ? this.#product.stop() : this.#clean();
    return this.#closing;
  }

  /** Removes in reverse order. What an attack has deleted itself is skipped. */
  async #clean(): Promise<boolean> {
    let isClean = true;
    for (const path of this.#made.toReversed()) {
      const status = await this.owner.ask('DELETE', path).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status !== 204 && status !== 404) isClean = false;
    }
    if (this.#owner) await this.owner.ask('POST', '/auth/logout', {});
    return isClean;
  }
}

export function chatOf({ projectId, agentId }: MembershipKey): string {
  return `/projects/${projectId}/agents/${agentId}/chat`;
}
