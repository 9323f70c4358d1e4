import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { AgentProcess } from '../process/agent-process.ts';
import { readStat } from '../process/proc-table.ts';
import type { MarkMethod } from '../run-mark/mark-method.ts';
import type { LaunchPlan, PlanOptions } from './launch-plan.ts';
import { spareEnvironment } from './run-environment.ts';
import { type Spare, SparePool, type Spares } from './spare-pool.ts';

export interface SpareRunnersDeps {
  /** How many are kept; 0: none. */
  readonly count: number;
  readonly marks: MarkMethod;
  readonly plan: PlanOptions;
  readonly logger: Logger;
}

interface SpareRunner extends Spare {
  readonly process: AgentProcess;
}

/** One `stat`: it costs nothing that counts while the product is at rest. */
const LOOK_FOR_UPDATE_MS = 5_000;
/** It has begun nothing that could take time to end. */
const STOP_GRACE_MS = 1_000;
export const SPARE_PROVIDER = 'builtin';

/** The name of a spare until it has a run. */
export const spareTraceId = (): string => `spare_${randomBytes(9).toString('hex')}`;

/**
 * Runners that were started before anybody needs one: loaded, connected to the mcp-server, waiting for the launch line on
 * stdin. A run of the built-in agent takes one and saves the start of a process. A spare knows no agent, holds no
 * secret, and ends with its Coordinator: by its guard also when that is killed with -9.
 */
export class SpareRunners implements Spares {
  readonly #deps: SpareRunnersDeps;
  readonly #pool: SparePool<SpareRunner>;

  constructor(deps: SpareRunnersDeps) {
    this.#deps = deps;
    const { count, logger } = deps;
    this.#pool = new SparePool({
      count,
      version: () => this.#version(),
      make: (version) => this.#make(version),
      missing: 'no bundle of the runner, so no spare',
      lookEveryMs: LOOK_FOR_UPDATE_MS,
      logger,
    });
  }

  get count(): number {
    return this.#pool.count;
  }

  start(): void {
    this.#pool.start();
  }

  /** A spare for this plan, which the caller owns from now on; undefined when there is none that fits. */
  async take(plan: LaunchPlan): Promise<AgentProcess | undefined> {
    return this.#fits(plan) ? (await this.#pool.take())?.process : undefined;
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  #fits({ file, args, account, env }: LaunchPlan): boolean {
    const { runner, accounts } = this.#deps.plan;
    return (
      file === runner.node &&
      args.length === 2 &&
      args[0] === runner.bundle &&
      args[1] === SPARE_PROVIDER &&
      account?.uid === accounts.runner?.uid &&
      // Its connection was made without the proxy, whose address may hold a password.
      env.NODE_USE_ENV_PROXY === undefined
    );
  }

  async #make(version: string): Promise<SpareRunner> {
    const { marks, plan, logger } = this.#deps;
    const { runner, accounts, config } = plan;
    const account = accounts.runner;
    const traceId = spareTraceId();
    const mark = await marks.make(traceId);
    const env = spareEnvironment(
      plan.env,
      { mcpUrl: config.mcpUrl, traceId },
      { extraNames: config.agentEnvNames, account },
    );
    const program = {
      traceId,
      file: runner.node,
      args: [runner.bundle, SPARE_PROVIDER],
      cwd: '/',
      entrance: '/',
      env,
      account,
      mustWriteFolder: false,
      readsStdin: true,
    };
    let process: AgentProcess;
    try {
      process = new AgentProcess(program, { logger: logger.child({ traceId }), texts: plan.texts, mark });
    } catch (error) {
      if (mark) void marks.release(mark);
      throw error;
    }
    return {
      process,
      version,
      ended: process.exited,
      lives: () => lives(process),
      end: async () => {
        await process.stop(STOP_GRACE_MS);
        if (mark) await marks.release(mark);
      },
    };
  }

  /** Another after each build of the runner; undefined when there is no bundle. */
  async #version(): Promise<string | undefined> {
    const file = await stat(this.#deps.plan.runner.bundle).catch(() => undefined);
    return file && `${file.ino}:${file.mtimeMs}:${file.size}`;
  }
}

async function lives({ state, pid }: AgentProcess): Promise<boolean> {
  if (state !== 'running' || pid === undefined) return false;
  const stat = await readStat(pid);
  return stat !== undefined && !stat.isZombie;
}
