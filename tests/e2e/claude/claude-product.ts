import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Approval, approvalPageSchema } from '@aizuchi/shared/contract/approval';
import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { claudeBinary } from '../../../scripts/claude/claude-binary.ts';
import { type FakeAnthropic, type ModelScript, startFakeAnthropic } from '../../fixtures/fake-anthropic.ts';
import { startTrap, type Trap } from '../../fixtures/trap-proxy.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';
import { Frames } from '../streaming/frames.ts';

export type Membership = Awaited<ReturnType<KillWorld['makeAgent']>>;

/** The whole product on a host with the real Claude Code, whose model is a script. */
export class ClaudeProduct {
  readonly world: KillWorld;
  readonly model: FakeAnthropic;
  readonly #trap: Trap;
  readonly #userHome: string;
  readonly #script: { current: ModelScript };

  private constructor(
    parts: Pick<ClaudeProduct, 'world' | 'model'> & { trap: Trap; userHome: string },
    script: { current: ModelScript },
  ) {
    this.world = parts.world;
    this.model = parts.model;
    this.#trap = parts.trap;
    this.#userHome = parts.userHome;
    this.#script = script;
  }

  static async start(): Promise<ClaudeProduct> {
    const script: { current: ModelScript } = { current: () => ({ text: 'ok' }) };
    const [model, trap, userHome] = await Promise.all([
      startFakeAnthropic((request) => script.current(request)),
      startTrap(),
      mkdtemp(join(tmpdir(), 'aizuchi-claude-user-')),
    ]);
    const world = await KillWorld.start(await claudeEnvironment(model, trap, userHome));
    return new ClaudeProduct({ world, model, trap, userHome }, script);
  }

  /** What the model does from now on. */
  plays(script: ModelScript): void {
    this.#script.current = script;
  }

  /** Where something wanted to connect to besides the model and us. */
  get elsewhere(): readonly string[] {
    return this.#trap.addresses;
  }

  /** An agent with an open chat, and a page that follows it. */
  async makeAgent(name: string) {
    const membership = await this.world.makeAgent(name, {
      provider: 'claude',
      systemPrompt: 'You are brief.',
    });
    const frames = await this.follow(membership);
    await this.world.open(membership);
    return { membership, frames };
  }

  /** A page that follows the project. */
  follow({ projectId }: Membership): Promise<Frames> {
    const { AIZUCHI_WEB_URL: url = '' } = this.world.product.environment;
    return Frames.follow(url, this.world.token, projectId);
  }

  async runs({ projectId }: Membership): Promise<Run[]> {
    return runPageSchema.parse(await this.world.call('GET', `/projects/${projectId}/runs`)).runs;
  }

  /** Answers the next request for permission, and returns its summary. */
  async decide(
    { projectId }: Membership,
    decision: { decision: 'allow_once' | 'allow_session' | 'deny'; note?: string },
  ): Promise<string> {
    let open: Approval | undefined;
    await until(async () => {
      const pending = await this.world.call('GET', `/projects/${projectId}/approvals?status=pending`);
      [open] = approvalPageSchema.parse(pending).approvals;
      return open !== undefined;
    });
    await this.world.call('POST', `/approvals/${open?.id}`, decision);
    return open?.summary ?? '';
  }

  /** Ends the session at once, as the person who closes the chat by force. */
  async close({ projectId, agentId }: Membership): Promise<void> {
    await this.world.call('POST', `/projects/${projectId}/agents/${agentId}/chat/end`, { force: true });
  }

  /** kill -9 of the runner; its guard and the Coordinator end what it has started. */
  async killRunner(membership: Membership): Promise<void> {
    process.kill(await this.world.runningPid(membership), 'SIGKILL');
  }

  /** Until Claude Code keeps this text in its session: it writes with a delay. */
  async untilKept(text: string): Promise<void> {
    const home = process.getuid?.() === 0 ? join(this.world.home, 'agent-homes') : this.#userHome;
    await until(async () => {
      const files = await readdir(home, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const { parentPath, name } of files)
        if (name.endsWith('.jsonl') && (await readFile(join(parentPath, name), 'utf8')).includes(text))
          return true;
      return false;
    });
  }

  async stop(): Promise<boolean> {
    const endedWell = await this.world.product.stop();
    await Promise.all([this.model.close(), this.#trap.close()]);
    await rm(this.#userHome, { recursive: true, force: true });
    return endedWell;
  }
}

/** A host where somebody has installed Claude Code and signed it in. Everything that leaves goes to the trap. */
export async function claudeEnvironment(
  model: FakeAnthropic,
  trap: Trap,
  userHome: string,
): Promise<Record<string, string>> {
  return {
    HOME: userHome,
    PATH: `${dirname(await claudeBinary())}:${process.env.PATH}`,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-fake-1234567890',
    HTTP_PROXY: trap.url,
    HTTPS_PROXY: trap.url,
    NO_PROXY: '127.0.0.1',
    AIZUCHI_AGENT_ENV: 'HTTP_PROXY,HTTPS_PROXY,NO_PROXY',
  };
}
