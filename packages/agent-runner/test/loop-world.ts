import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { begunSecretOf, hiderOf } from '@aizuchi/shared/platform/secret-values';
import type { ScriptedMcpServer, ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { AgentLoop } from '../src/agent-loop.ts';
import type { Driver } from '../src/driver.ts';
import type { AgentLoopOptions } from '../src/session/begin-session.ts';
import { ResumeStore } from '../src/session/resume-store.ts';
import { AGENT_ID, batchOf, message } from './runner-world.ts';
import { serveSession, TICKET } from './scripted-session.ts';

/** The life of a session in this process, with the driver of a test and a server whose tools are a script. */
export class LoopWorld {
  readonly logged: string[] = [];
  readonly home: string;
  #server: ScriptedMcpServer | undefined;

  private constructor(home: string) {
    this.home = home;
  }

  static async make(): Promise<LoopWorld> {
    return new LoopWorld(await mkdtemp(join(tmpdir(), 'aizuchi-loop-')));
  }

  get server(): ScriptedMcpServer {
    if (!this.#server) throw new Error('live() comes first');
    return this.#server;
  }

  /** Batches in their order; the last one from then on. */
  async live(
    driver: Driver,
    actions: readonly NextAction[],
    options: { batches?: readonly PendingMessages[]; script?: ToolScript } & Pick<
      AgentLoopOptions,
      'interruptLimitMs' | 'overWaitMs'
    > = {},
  ): Promise<{ loop: AgentLoop; exit: Promise<number>; server: ScriptedMcpServer }> {
    const { batches: given, script, ...limits } = options;
    const batches = [...(given ?? [batchOf(message('msg_1', 'Hello'))])];
    const next = () => (batches.length > 1 ? batches.shift() : batches[0]) ?? batchOf();
    const server = await serveSession(actions, next, script);
    await this.#server?.close();
    this.#server = server;
    const { url } = server;
    const loop = new AgentLoop({
      client: new ToolClient({ url, token: TICKET, name: 'loop-test', version: '1' }),
      driver,
      agentId: AGENT_ID,
      mcp: { url, token: TICKET },
      resumeStore: new ResumeStore(this.home, {
        provider: 'test',
        projectId: 'prj_1',
        agentId: AGENT_ID,
      }),
      log: (sentence) => void this.logged.push(sentence),
      hide: hiderOf([TICKET]),
      begunSecret: begunSecretOf([TICKET]),
      ...limits,
    });
    return { loop, exit: loop.run(), server };
  }

  /** What was handed in, in its order. */
  answers(): Record<string, unknown>[] {
    return this.server.callsOf('respond_chat').map(({ args }) => args);
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await rm(this.home, { recursive: true, force: true });
  }
}
