import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Message, messagePageSchema, messageSchema } from '@aizuchi/shared/contract/chat';
import { questionPageSchema } from '@aizuchi/shared/contract/question';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { z } from 'zod';
import { type RunningProduct, startProduct } from '../../../scripts/commands/product.ts';
import { makeAgentProgram } from '../../fixtures/agent-program.ts';
import { readServices, type ServiceEntry, until } from '../start/product-process.ts';

const runsSchema = z.object({
  pid: z.number(),
  given: z.array(z.object({ id: z.string(), redelivered: z.boolean().optional() })),
});
export type Taken = z.infer<typeof runsSchema>;

/**
 * The whole product as processes, with a person who writes and, if wanted, an agent that waits until the test lets it
 * answer.
 */
export class KillWorld {
  readonly product: RunningProduct;
  readonly #token: string;
  readonly #api: string;

  private constructor(product: RunningProduct, token: string) {
    this.product = product;
    this.#token = token;
    this.#api = `${product.environment.AIZUCHI_WEB_URL}/api`;
  }

  static async start(env: Record<string, string> = {}): Promise<KillWorld> {
    const product = await startProduct({ MEMORY_GROWTH: 'off', ...env });
    const response = await fetch(`${product.environment.AIZUCHI_WEB_URL}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agentId: 'owner', passkey: product.environment.AIZUCHI_OWNER_PASSKEY }),
    });
    return new KillWorld(product, z.object({ token: z.string() }).parse(await response.json()).token);
  }

  get home(): string {
    return this.product.environment.AIZUCHI_HOME ?? '';
  }

  /** The bearer of the owner. */
  get token(): string {
    return this.#token;
  }

  /** Makes a project with one agent; `folder` is the project's working directory. */
  async makeAgent(
    name: string,
    extra: object = {},
  ): Promise<{ projectId: string; agentId: string; folder: string }> {
    const folder = join(this.product.environment.AIZUCHI_WORKSPACE_ROOTS ?? '', name);
    const projectId = `prj_${name}`;
    const agentId = `agt_${name}`;
    await this.call('POST', '/projects', { id: projectId, name, workingDirectory: folder });
    await this.call('POST', '/agents', { id: agentId, name, type: 'ai', ...extra });
    await this.call('PUT', `/projects/${projectId}/agents/${agentId}`);
    return { projectId, agentId, folder };
  }

  /** Makes an agent that takes messages and waits. It records in its control folder what it was given. */
  async makeWaitingAgent(name: string) {
    const source = new URL('waiting-agent.ts', import.meta.url);
    const { command, control } = await makeAgentProgram(this.home, name, source);
    const membership = await this.makeAgent(name, { provider: 'command', command });
    return {
      ...membership,
      /** The n-th batch, as soon as the agent has it. */
      taken: async (number: number): Promise<Taken> => {
        const file = join(control, `taken-${number}.json`);
        await until(async () => (await readdir(control)).includes(`taken-${number}.json`));
        await until(async () => (await readFile(file, 'utf8')).endsWith('}'));
        return runsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      },
      letGo: () => writeFile(join(control, 'answer'), ''),
    };
  }

  /** Makes an agent that asks a person about every message. */
  async makeAskingAgent(name: string) {
    const source = new URL('asking-agent.ts', import.meta.url);
    const { command } = await makeAgentProgram(this.home, name, source);
    return this.makeAgent(name, { provider: 'command', command });
  }

  /** The pending cards of a project, as soon as there is one. */
  async pendingCards(membership: { projectId: string }): Promise<string[]> {
    let ids: string[] = [];
    await until(async () => {
      const body = await this.call('GET', `/projects/${membership.projectId}/questions?status=pending`);
      ids = questionPageSchema.parse(body).questions.map(({ toolUseId }) => toolUseId);
      return ids.length > 0;
    });
    return ids;
  }

  async open(membership: { projectId: string; agentId: string }): Promise<void> {
    await this.call('POST', `${chat(membership)}/start`, { viewerId: 'kill-test' });
    await until(async () => (await this.sessions(membership)) > 0);
  }

  /** The process of the run that runs, as soon as its Coordinator has reported it: an agent may speak before that. */
  async runningPid({ projectId }: { projectId: string }): Promise<number> {
    let pid: number | null | undefined;
    await until(async () => {
      const { runs } = runPageSchema.parse(await this.call('GET', `/projects/${projectId}/runs`));
      pid = runs.find(({ state }) => state === 'running')?.pid;
      return typeof pid === 'number';
    });
    return z.number().parse(pid);
  }

  async sessions(membership: { projectId: string; agentId: string }): Promise<number> {
    const body = await this.call('GET', `/projects/${membership.projectId}/agent-sessions`);
    return (
      z.object({ agentSessions: z.record(z.string(), z.object({ chat: z.number() })) }).parse(body)
        .agentSessions[membership.agentId]?.chat ?? 0
    );
  }

  /** Writes as the page does: repeats the call with the same clientMessageId until it is acknowledged. */
  async write(
    membership: { projectId: string; agentId: string },
    content: string,
    clientMessageId: string,
  ): Promise<Message> {
    return messageSchema.parse(
      await this.call('POST', `${chat(membership)}/messages`, { content, clientMessageId }),
    );
  }

  async messages(membership: { projectId: string; agentId: string }): Promise<Message[]> {
    const all: Message[] = [];
    for (let after = ''; ; ) {
      const page = messagePageSchema.parse(
        await this.call('GET', `${chat(membership)}/messages?limit=200${after && `&after=${after}`}`),
      );
      // Without `after` the newest page comes first, which is enough for these tests.
      all.push(...page.messages);
      const last = page.messages.at(-1);
      if (after === '' || !page.hasMore || !last) return all;
      after = last.id;
    }
  }

  async answered(membership: { projectId: string; agentId: string }, id: string): Promise<void> {
    await until(async () =>
      (await this.messages(membership)).some((message) => message.id === id && message.state === 'answered'),
    );
  }

  /** Waits until the message has failed; returns the last line of the system about it. */
  async failed(membership: { projectId: string; agentId: string }, id: string): Promise<Message | undefined> {
    await until(async () =>
      (await this.messages(membership)).some((message) => message.id === id && message.state === 'failed'),
    );
    return (await this.messages(membership)).findLast(({ sender }) => sender === 'system');
  }

  async retry(membership: { projectId: string; agentId: string }, id: string): Promise<void> {
    await this.call('POST', `${chat(membership)}/messages/${id}/retry`);
  }

  async redelivered(membership: { projectId: string; agentId: string }, id: string): Promise<boolean> {
    return (await this.messages(membership)).some(
      (message) => message.id === id && message.redelivered === true,
    );
  }

  async service(name: string): Promise<ServiceEntry> {
    const entry = (await readServices(this.home)).find((service) => service.name === name);
    if (!entry) throw new Error(`${name} does not run`);
    return entry;
  }

  /** Kills a service with SIGKILL; resolves when the supervisor has it serving again under a new pid. */
  async killService(name: string): Promise<void> {
    const { pid } = await this.service(name);
    process.kill(pid, 'SIGKILL');
    await until(async () =>
      (await readServices(this.home)).some((service) => service.name === name && service.pid !== pid),
    );
  }

  /** Calls REST as the owner; repeats the call while the service is not available, as every client does. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    let answer: unknown;
    await until(async () => {
      try {
        const response = await fetch(this.#api + path, {
          method,
          headers: {
            authorization: `Bearer ${this.#token}`,
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
        });
        if (response.status === 503) return false;
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
        answer = text === '' ? null : JSON.parse(text);
        return true;
      } catch (error) {
        // The connection was refused or cut. It is unknown whether the call arrived, so it is repeated.
        if (error instanceof TypeError) return false;
        throw error;
      }
    });
    return answer;
  }

  /** The lines of an agent's chat.jsonl. */
  async transcript(membership: {
    agentId: string;
    folder: string;
  }): Promise<{ id: string; content: string }[]> {
    const text = await readFile(
      join(membership.folder, '.ai-pm', 'agents', membership.agentId, 'chat.jsonl'),
      'utf8',
    );
    const line = z.object({ id: z.string(), content: z.string(), visible: z.boolean() });
    // Whole lines: one may be being written.
    return text
      .split('\n')
      .slice(0, -1)
      .map((one) => line.parse(JSON.parse(one)));
  }
}

function chat({ projectId, agentId }: { projectId: string; agentId: string }): string {
  return `/projects/${projectId}/agents/${agentId}/chat`;
}
