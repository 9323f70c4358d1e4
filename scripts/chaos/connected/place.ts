import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { z } from 'zod';
import { startProduct } from '../../commands/product.ts';
import { findTestPort } from '../../postgres/free-port.ts';
import { Observer } from '../observer.ts';
import { Person } from '../person.ts';
import { everyNth, ResponseCutter } from '../response-cutter.ts';

/** What an agent needs that a person connects by hand. */
export interface Place {
  /** The address of the proxy that cuts answers. */
  readonly mcpUrl: string;
  readonly membership: MembershipKey;
  readonly passkey: string;
  /** A folder for the agent's own files. */
  readonly folder: string;
}

/** The product without a Coordinator: the product starts no agents, they connect by themselves. */
export class ConnectedWorld {
  readonly place: Place;
  readonly person: Person;
  readonly cutter: ResponseCutter;
  readonly observer: Observer;
  readonly #stop: () => Promise<boolean>;

  private constructor(
    place: Place,
    people: { person: Person; observer: Observer },
    cutter: ResponseCutter,
    stop: () => Promise<boolean>,
  ) {
    this.place = place;
    this.person = people.person;
    this.observer = people.observer;
    this.cutter = cutter;
    this.#stop = stop;
  }

  /** One of `cutEvery` answers does not arrive; 0 means that all arrive. */
  static async open(cutEvery: number): Promise<ConnectedWorld> {
    const mcpPort = await findTestPort();
    const cutter = await ResponseCutter.open(mcpPort);
    const product = await startProduct({
      AIZUCHI_SERVICES: 'rest-api,mcp-server',
      MCP_PORT: String(mcpPort),
      AIZUCHI_ALLOWED_HOSTS: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '0',
    });
    const { AIZUCHI_WEB_URL: url = '', AIZUCHI_WORKSPACE_ROOTS: roots = '' } = product.environment;
    const person = new Person(url);
    await person.signIn('owner', product.environment.AIZUCHI_OWNER_PASSKEY ?? '');
    const membership = { projectId: 'prj_connected', agentId: 'agt_connected' };
    const passkey = await makeAgent(person, membership, join(roots, 'connected'));
    const folder = join(roots, '..', 'connected-agent');
    await mkdir(folder);
    cutter.judge = cutEvery === 0 ? undefined : everyNth(cutEvery);
    return new ConnectedWorld(
      { mcpUrl: `http://127.0.0.1:${cutter.port}/mcp`, membership, passkey, folder },
      { person, observer: new Observer(url, person.token, membership.projectId) },
      cutter,
      product.stop,
    );
  }

  /** Ends the session: its agent is told `exit`. */
  async endSession(): Promise<void> {
    const { projectId, agentId } = this.place.membership;
    const path = `/projects/${projectId}/agents/${agentId}/chat/end`;
    await this.person.call(z.unknown(), 'POST', path, { force: true });
  }

  /** Returns false if something did not end cleanly. */
  async close(): Promise<boolean> {
    await this.observer.close();
    const endedWell = await this.#stop();
    await this.cutter.close();
    return endedWell;
  }
}

async function makeAgent(
  person: Person,
  { projectId, agentId }: MembershipKey,
  folder: string,
): Promise<string> {
  const named = (id: string) => ({ id, name: id });
  await person.call(z.unknown(), 'POST', '/projects', { ...named(projectId), workingDirectory: folder });
  await person.call(z.unknown(), 'POST', '/agents', { ...named(agentId), type: 'ai' });
  await person.call(z.unknown(), 'PUT', `/projects/${projectId}/agents/${agentId}`);
  const made = z.object({ passkey: z.string() });
  return (await person.call(made, 'POST', `/agents/${agentId}/passkey`, {})).passkey;
}
