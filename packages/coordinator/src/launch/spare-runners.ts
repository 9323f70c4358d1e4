import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { AgentProcess } from '../process/agent-process.ts';
import { readStat } from '../process/proc-table.ts';
import type { MarkMethod } from '../run-mark/mark-method.ts';
import type { LaunchPlan, PlanOptions } from './launch-plan.ts';
import { spareEnvironment } from './run-environment.ts';

export interface SpareRunnersDeps {
  /** How many are kept; 0: none. */
  readonly count: number;
  readonly marks: MarkMethod;
  readonly plan: PlanOptions;
  readonly logger: Logger;
}

interface Spare {
  readonly process: AgentProcess;
  /** The bundle that it has loaded. */
  readonly version: string;
}

/** A run that was just started needs the processor more than the next spare. */
const REFILL_AFTER_MS = 1_000;
/** One `stat`: it costs nothing that counts while the product is at rest. */
const LOOK_FOR_UPDATE_MS = 5_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;
/** It has begun nothing that could take time to end. */
const STOP_GRACE_MS = 1_000;
const SPARE_PROVIDER = 'builtin';

/**
 * Runners that were started before anybody needs one: loaded, connected to the mcp-server, waiting for the launch line on
 * stdin. A run of the built-in agent takes one and saves the start of a process. A spare knows no agent, holds no
 * secret, and ends with its Coordinator: by its guard also when that is killed with -9. Soon after an update of the
 * bundle the old one is replaced, whether anybody needs one or not.
 */
export class SpareRunners {
  readonly #deps: SpareRunnersDeps;
  readonly #spares = new Set<Spare>();
  readonly #ending = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isRefilling = false;
  #failures = 0;

  constructor(deps: SpareRunnersDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#spares.size;
  }

  /** Keeps the spares from now on. */
  start(): void {
    if (this.#deps.count === 0) return;
    this.#refillAfter(REFILL_AFTER_MS);
    clearInterval(this.#looking);
    this.#looking = setInterval(() => void this.#endOld(), LOOK_FOR_UPDATE_MS).unref();
  }

  /** A spare for this plan, which the caller owns from now on; undefined when there is none that fits. */
  async take(plan: LaunchPlan): Promise<AgentProcess | undefined> {
    if (!this.#fits(plan)) return undefined;
    const version = await this.#version();
    for (const spare of this.#spares) {
      this.#spares.delete(spare);
      this.#refillAfter(REFILL_AFTER_MS);
      if (spare.version === version && (await lives(spare.process))) {
        this.#failures = 0;
        return spare.process;
      }
      this.#end(spare);
    }
    return undefined;
  }

  /** Ends the spares; resolves when none lives any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    for (const spare of this.#spares) this.#end(spare);
    this.#spares.clear();
    await Promise.all(this.#ending);
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

  #refillAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#deps.count === 0) return;
    this.#timer = setTimeout(() => void this.#refill(), milliseconds).unref();
  }

  /** Another takes the place of each that has loaded a bundle from before an update. */
  async #endOld(): Promise<void> {
    if (this.#spares.size === 0) return;
    const version = await this.#version();
    // It is being built, or was removed: the spare is better than none.
    if (version === undefined) return;
    for (const spare of this.#spares) {
      if (spare.version === version) continue;
      this.#spares.delete(spare);
      this.#end(spare);
      this.#refillAfter(REFILL_AFTER_MS);
    }
  }

  async #refill(): Promise<void> {
    // Two at once would both see that one is missing.
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    try {
      while (!this.#isStopped && this.#spares.size < this.#deps.count) {
        const version = await this.#version();
        // It is being built, or was removed: runs say what is missing.
        if (version === undefined) return this.#failed(undefined, 'no bundle of the runner, so no spare');
        await this.#add(version);
      }
    } catch (error) {
      this.#failed(error, 'spare runner not started');
    } finally {
      this.#isRefilling = false;
    }
  }

  async #add(version: string): Promise<void> {
    const { marks, plan, logger } = this.#deps;
    const { runner, accounts, config } = plan;
    const account = accounts.runner;
    const traceId = `spare_${randomBytes(9).toString('hex')}`;
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
    const spare = { process, version };
    this.#spares.add(spare);
    void process.exited.then(() => {
      // One that was taken belongs to a run.
      if (!this.#spares.delete(spare)) return;
      if (mark) void marks.release(mark);
      this.#failed(undefined, 'spare runner ended by itself');
    });
    // Stopped while it was being made.
    if (this.#isStopped) await this.stop();
  }

  #end(spare: Spare): void {
    const { mark } = spare.process;
    const ended: Promise<void> = spare.process
      .stop(STOP_GRACE_MS)
      .then(() => mark && this.#deps.marks.release(mark))
      .then(() => void this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Runs go on without a spare, only slower. */
  #failed(error: unknown, sentence: string): void {
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS);
    this.#failures += 1;
    this.#deps.logger.warn({ err: error, retryMs }, sentence);
    this.#refillAfter(retryMs);
  }

  /** Another after each build of the runner; undefined when there is no bundle. */
  async #version(): Promise<string | undefined> {
    const file = await stat(this.#deps.plan.runner.bundle).catch(() => undefined);
    return file && `${file.ino}:${file.mtimeMs}:${file.size}`;
  }
}

/** One that has just ended may not be known as ended yet. */
async function lives({ state, pid }: AgentProcess): Promise<boolean> {
  if (state !== 'running' || pid === undefined) return false;
  const stat = await readStat(pid);
  return stat !== undefined && !stat.isZombie;
}
