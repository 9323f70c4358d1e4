import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import {
  type Approval,
  approvalPageSchema,
  type DecideApprovalBody,
} from '@aizuchi/shared/contract/approval';
import type { Message } from '@aizuchi/shared/contract/chat';
import { KillWorld } from '../e2e/kill/kill-support.ts';
import { processesOf, until } from '../e2e/start/product-process.ts';

/** Where the program is that this host has; throws with how it is installed. */
export function adapterProgram(name: string, packageName: string): string {
  try {
    return realpathSync(execFileSync('which', [name], { encoding: 'utf8' }).trim());
  } catch (cause) {
    throw new Error(`${name} is not on the PATH. Install it: npm install -g ${packageName}`, { cause });
  }
}

/** One chat with an agent that is a real program, in the whole product. */
export class AdapterChat {
  readonly world: KillWorld;
  readonly membership: Awaited<ReturnType<KillWorld['makeAgent']>>;
  readonly #program: string;
  #written = 0;

  private constructor(world: KillWorld, membership: AdapterChat['membership'], program: string) {
    this.world = world;
    this.membership = membership;
    this.#program = program;
  }

  /** `env`: what the program needs, beside what an agent is given. */
  static async open(name: string, program: string, env: Record<string, string>): Promise<AdapterChat> {
    const world = await KillWorld.start({ ...env, AIZUCHI_AGENT_ENV: Object.keys(env).join() });
    const membership = await world.makeAgent(name, {
      provider: 'acp',
      command: { file: process.execPath, args: [program] },
      systemPrompt: 'You are brief.',
    });
    const chat = new AdapterChat(world, membership, program);
    await world.open(membership);
    return chat;
  }

  write(content: string): Promise<Message> {
    this.#written += 1;
    return this.world.write(this.membership, content, `m${this.#written}`);
  }

  /** The message as it is when the turn is over. */
  async over({ id }: Message): Promise<Message | undefined> {
    let message: Message | undefined;
    await until(async () => {
      message = (await this.world.messages(this.membership)).find((one) => one.id === id);
      return message?.state === 'answered' || message?.state === 'failed';
    });
    return message;
  }

  /** Writes, and returns what the agent answers. */
  async answer(content: string): Promise<string | undefined> {
    await this.over(await this.write(content));
    return this.lastAnswer();
  }

  async lastAnswer(): Promise<string | undefined> {
    const messages = await this.world.messages(this.membership);
    return messages.findLast(({ sender }) => sender === 'agent')?.content;
  }

  /** Decides about the next request for permission; returns it. */
  async decide(body: DecideApprovalBody): Promise<Approval | undefined> {
    let shown: Approval | undefined;
    await until(async () => {
      const path = `/projects/${this.membership.projectId}/approvals?status=pending`;
      [shown] = approvalPageSchema.parse(await this.world.call('GET', path)).approvals;
      return shown !== undefined;
    });
    await this.world.call('POST', `/approvals/${shown?.id}`, body);
    return shown;
  }

  async stop(): Promise<void> {
    const { projectId, agentId } = this.membership;
    await this.world.call('POST', `/projects/${projectId}/agents/${agentId}/chat/interrupt`);
  }

  async killProgram(): Promise<void> {
    const found = (await processesOf(this.world.home)).filter((line) => line.includes(this.#program));
    for (const line of found) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  }
}
