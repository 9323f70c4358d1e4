import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { StartError } from '../../launch/start-error.ts';
import type { RunLog } from '../../log/run-log.ts';
import type { JournalEntry, RunJournal } from '../../state/run-journal.ts';
import type { RunErrorTexts } from '../../texts/run-errors.ts';
import type { Adopted, Executor, RunHandle } from '../executor.ts';
import { type BoxOptions, boxOf, FOLDER_NOT_WRITABLE, limitsOf, stdinOf } from './box.ts';
import { isNoContainer, removeContainer } from './container-end.ts';
import { type ContainerEnd, ContainerRun } from './container-run.ts';
import { DockerEngine, EngineRefused, EngineUnreachable } from './docker-engine.ts';
import { EngineSocket } from './engine-socket.ts';
import { isOfRegistry } from './image-name.ts';
import { ImagePull } from './image-pull.ts';
import { StrayContainers } from './stray-containers.ts';

export interface DockerExecutorDeps extends Omit<BoxOptions, 'config'> {
  readonly config: DockerConfig;
  readonly bootId: string;
  readonly journal: Pick<RunJournal, 'write'>;
  readonly logger: Logger;
  readonly texts: RunErrorTexts;
  /** How long a run waits for its image. */
  readonly pullWaitMs?: number;
}

const LEFTOVER_GRACE_S = 2;

/** Runs in containers of a Docker engine, each in its own, with no more than `boxOf` gives. */
export class DockerExecutor implements Executor {
  readonly #deps: DockerExecutorDeps;
  readonly #engine: DockerEngine;
  /** Containers that are being made or belong to a run of ours. */
  readonly #ours = new Set<string>();
  readonly #socket: EngineSocket;
  readonly #strays: StrayContainers;
  readonly #pull: ImagePull;

  constructor(deps: DockerExecutorDeps) {
    this.#deps = deps;
    const { instanceId, logger, config, texts, pullWaitMs: waitMs } = deps;
    this.#engine = new DockerEngine(config.address);
    this.#strays = new StrayContainers({ engine: this.#engine, instanceId, ours: this.#ours, logger });
    this.#socket = new EngineSocket(config.address);
    this.#pull = new ImagePull({ engine: this.#engine, image: config.image, texts, waitMs });
  }

  async start(plan: LaunchPlan, log: RunLog, signal?: AbortSignal): Promise<RunHandle> {
    const { journal, bootId, texts } = this.#deps;
    if (plan.worksInFolder && (await this.#socket.isIn(plan.cwd)))
      throw new StartError(texts.engineSocketInFolder(plan.cwd));
    await journal.write({ runId: plan.runId, bootId, executor: 'docker' });
    const name = this.#nameOf(plan.runId);
    this.#ours.add(name);
    try {
      const run = await this.#begin(name, plan, log, signal);
      void run.exited.then(() => this.#ours.delete(name));
      return run;
    } catch (error) {
      const isGone = await removeContainer(this.#engine, name, this.#deps.logger);
      this.#ours.delete(name);
      // The engine may start it yet.
      if (!isGone) void this.clean();
      throw this.#asStartError(error);
    }
  }

  keep(entry: JournalEntry): void {
    this.#ours.add(this.#nameOf(entry.runId));
  }

  async adopt({ runId }: JournalEntry): Promise<Adopted> {
    const name = this.#nameOf(runId);
    try {
      return await this.#endLeftover(name);
    } finally {
      // One that is left is removed by `clean`, when the engine answers again.
      this.#ours.delete(name);
    }
  }

  clean(): Promise<void> {
    return this.#strays.clean();
  }

  async settled(): Promise<void> {
    // A run is removed before its exit.
  }

  async #endLeftover(name: string): Promise<Adopted> {
    const { logger } = this.#deps;
    try {
      const path = `/containers/${name}/stop`;
      await this.#engine.call({ method: 'POST', path, query: { t: String(LEFTOVER_GRACE_S) } });
    } catch (error) {
      if (isNoContainer(error)) return { found: [], left: [] };
      logger.warn({ err: error, container: name }, 'container of an earlier run not stopped');
    }
    const isGone = await removeContainer(this.#engine, name, logger);
    return { found: [name], left: isGone ? [] : [name] };
  }

  async #begin(name: string, plan: LaunchPlan, log: RunLog, signal?: AbortSignal): Promise<ContainerRun> {
    const { config, logger } = this.#deps;
    const engine = this.#engine;
    await this.#create(name, boxOf(plan, this.#deps), log, signal);
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
      place: { executor: 'docker', image: config.image, limits: limitsOf(plan, config) },
      log,
      secrets: plan.secrets,
      isLocal: 'socketPath' in config.address,
      logger: logger.child({ runId: plan.runId }),
      explain: (end) => this.#explain(plan, end),
    });
  }

  /** Pulls the image when it is missing. */
  async #create(name: string, body: object, log: RunLog, signal?: AbortSignal): Promise<void> {
    const call = { method: 'POST', path: '/containers/create', query: { name }, body } as const;
    try {
      await this.#engine.call(call);
    } catch (error) {
      if (!isNoImage(error) || !isOfRegistry(this.#deps.config.image)) throw error;
      const say = (line: string) => void log.write(Buffer.from(`${line}\n`)).catch(() => undefined);
      await this.#pull.wait({ signal, say });
      await this.#engine.call(call);
    }
  }

  #explain(plan: LaunchPlan, { exitCode, isOutOfMemory }: ContainerEnd) {
    const { texts, config } = this.#deps;
    const { cwd, account } = plan;
    if (isOutOfMemory) return { error: texts.outOfMemory(limitsOf(plan, config).memoryMb) };
    if (exitCode === FOLDER_NOT_WRITABLE)
      return { startError: texts.directoryNotWritable(cwd, account?.name ?? String(this.#deps.self.uid)) };
    return {};
  }

  #asStartError(error: unknown): unknown {
    const { texts, config } = this.#deps;
    const { addressName, image } = config;
    if (error instanceof EngineUnreachable)
      return new StartError(texts.engineUnreachable(addressName, error.message));
    if (!(error instanceof EngineRefused)) return error;
    if (isNoImage(error)) return new StartError(texts.imageMissing(image, addressName));
    return new StartError(texts.engineRefused(error.message));
  }

  /** The same for every Coordinator of this home, and no other has it. */
  #nameOf(runId: string): string {
    return `aizuchi-${this.#deps.instanceId.slice(0, 12)}-${runId}`;
  }
}

function isNoImage(error: unknown): boolean {
  return error instanceof EngineRefused && /no such image/i.test(error.message);
}
