import { setTimeout as delay } from 'node:timers/promises';
import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { StartError } from '../../launch/start-error.ts';
import type { RunLog } from '../../log/run-log.ts';
import type { JournalEntry, RunJournal } from '../../state/run-journal.ts';
import type { RunErrorTexts } from '../../texts/run-errors.ts';
import type { Adopted, Executor, RunHandle } from '../executor.ts';
import { type BoxOptions, boxOf, FOLDER_NOT_WRITABLE, INSTANCE_LABEL, stdinOf } from './box.ts';
import { isNoContainer, removeContainer } from './container-end.ts';
import { type ContainerEnd, ContainerRun } from './container-run.ts';
import { DockerEngine, EngineRefused, EngineUnreachable } from './docker-engine.ts';

export interface DockerExecutorDeps extends Omit<BoxOptions, 'config'> {
  readonly config: DockerConfig;
  readonly bootId: string;
  readonly journal: Pick<RunJournal, 'write'>;
  readonly logger: Logger;
  readonly texts: RunErrorTexts;
}

const LEFTOVER_GRACE_S = 2;
const CLEAN_RETRY_MS = 10_000;

const containersSchema = z.array(z.object({ Names: z.array(z.string()) }));

/** Runs in containers of a Docker engine, each in its own, with no more than `boxOf` gives. */
export class DockerExecutor implements Executor {
  readonly #deps: DockerExecutorDeps;
  readonly #engine: DockerEngine;
  /** Containers that are being made or belong to a run of ours. */
  readonly #ours = new Set<string>();

  constructor(deps: DockerExecutorDeps) {
    this.#deps = deps;
    this.#engine = new DockerEngine(deps.config.address);
  }

  async start(plan: LaunchPlan, log: RunLog): Promise<RunHandle> {
    const { journal, bootId } = this.#deps;
    this.#refuseSocketIn(plan);
    await journal.write({ runId: plan.runId, bootId, executor: 'docker' });
    const name = this.#nameOf(plan.runId);
    this.#ours.add(name);
    try {
      const run = await this.#begin(name, plan, log);
      void run.exited.then(() => this.#ours.delete(name));
      return run;
    } catch (error) {
      await removeContainer(this.#engine, name, this.#deps.logger);
      this.#ours.delete(name);
      throw this.#asStartError(error);
    }
  }

  keep(entry: JournalEntry): void {
    this.#ours.add(this.#nameOf(entry.runId));
  }

  async adopt({ runId }: JournalEntry): Promise<Adopted> {
    const name = this.#nameOf(runId);
    try {
      const path = `/containers/${name}/stop`;
      await this.#engine.call({ method: 'POST', path, query: { t: String(LEFTOVER_GRACE_S) } });
    } catch (error) {
      if (isNoContainer(error)) return { found: [], left: [] };
      this.#deps.logger.warn({ err: error, runId }, 'container of an earlier run not stopped');
    }
    const isGone = await removeContainer(this.#engine, name, this.#deps.logger);
    // One that is left is removed by `clean`, when the engine answers again.
    this.#ours.delete(name);
    return { found: [name], left: isGone ? [] : [name] };
  }

  /** Goes on in the background while the engine does not answer. */
  async clean(): Promise<void> {
    if (await this.#removeStrays()) return;
    void delay(CLEAN_RETRY_MS, undefined, { ref: false }).then(() => this.clean());
  }

  async #begin(name: string, plan: LaunchPlan, log: RunLog): Promise<ContainerRun> {
    const { config, logger } = this.#deps;
    const engine = this.#engine;
    const body = boxOf(plan, this.#deps);
    await engine.call({ method: 'POST', path: '/containers/create', query: { name }, body });
    const streams = await engine.attach(name);
    streams.on('error', (error) => logger.warn({ err: error, container: name }, 'streams broke'));
    try {
      await engine.call({ method: 'POST', path: `/containers/${name}/start` });
    } catch (error) {
      streams.destroy();
      throw error;
    }
    streams.end(stdinOf(plan));
    return new ContainerRun({
      engine,
      name,
      streams,
      log,
      secrets: plan.secrets,
      isLocal: 'socketPath' in config.address,
      logger: logger.child({ runId: plan.runId }),
      explain: (end) => this.#explain(plan, end),
    });
  }

  #explain({ cwd, account }: LaunchPlan, { exitCode, isOutOfMemory }: ContainerEnd) {
    const { texts, config } = this.#deps;
    if (isOutOfMemory) return { error: texts.outOfMemory(config.limits.memoryMb) };
    if (exitCode === FOLDER_NOT_WRITABLE)
      return { startError: texts.directoryNotWritable(cwd, account?.name ?? String(this.#deps.self.uid)) };
    return {};
  }

  /** Whoever reaches the engine is root on its host, so its socket is in no folder of an agent. */
  #refuseSocketIn({ cwd, worksInFolder }: LaunchPlan): void {
    const { address } = this.#deps.config;
    if (!worksInFolder || !('socketPath' in address)) return;
    if (address.socketPath.startsWith(cwd.endsWith('/') ? cwd : `${cwd}/`))
      throw new StartError(this.#deps.texts.engineSocketInFolder(cwd));
  }

  #asStartError(error: unknown): unknown {
    const { texts, config } = this.#deps;
    const { addressName, image } = config;
    if (error instanceof EngineUnreachable)
      return new StartError(texts.engineUnreachable(addressName, error.message));
    if (!(error instanceof EngineRefused)) return error;
    if (/no such image/i.test(error.message)) return new StartError(texts.imageMissing(image, addressName));
    return new StartError(texts.engineRefused(error.message));
  }

  async #removeStrays(): Promise<boolean> {
    const filters = JSON.stringify({ label: [`${INSTANCE_LABEL}=${this.#deps.instanceId}`] });
    try {
      const path = '/containers/json';
      const answer = await this.#engine.call({ method: 'GET', path, query: { all: '1', filters } });
      const names = containersSchema.parse(answer).flatMap(({ Names }) => Names.map((one) => one.slice(1)));
      const strays = names.filter((name) => !this.#ours.has(name));
      const gone = strays.map((name) => removeContainer(this.#engine, name, this.#deps.logger));
      return (await Promise.all(gone)).every(Boolean);
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'containers of earlier runs not looked for');
      return false;
    }
  }

  /** The same for every Coordinator of this home, and no other has it. */
  #nameOf(runId: string): string {
    return `aizuchi-${this.#deps.instanceId.slice(0, 12)}-${runId}`;
  }
}
