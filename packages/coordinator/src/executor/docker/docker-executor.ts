import type { Duplex } from 'node:stream';
import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import { z } from 'zod';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { NO_SPARES, type Spares } from '../../launch/spare-pool.ts';
import { StartError } from '../../launch/start-error.ts';
import type { RunLog } from '../../log/run-log.ts';
import { ContainerExecutor, type ContainerExecutorDeps, type Leftover } from '../container-executor.ts';
import type { Starting } from '../executor.ts';
import {
  BEGIN,
  type BoxOptions,
  boxOf,
  FOLDER_NOT_WRITABLE,
  INSTANCE_LABEL,
  imageOf,
  limitsOf,
  stdinOf,
} from './box.ts';
import { isNoContainer, removeContainer } from './container-end.ts';
import { type ContainerEnd, ContainerRun } from './container-run.ts';
import { DockerEngine, EngineRefused, EngineUnreachable } from './docker-engine.ts';
import { EgressGate, type Entrance, type GateOptions } from './egress/egress-gate.ts';
import { findNetworks } from './egress/run-network.ts';
import { EngineSocket } from './engine-socket.ts';
import { isOfRegistry } from './image-name.ts';
import { ImagePull } from './image-pull.ts';
import { SpareContainers, type SpareContainersDeps } from './spare-containers.ts';
import { startContainer } from './start-container.ts';

export interface DockerExecutorDeps extends Omit<BoxOptions, 'config'>, ContainerExecutorDeps {
  readonly config: DockerConfig;
  /** How long a run waits for its image. */
  readonly pullWaitMs?: number;
  /** Absent: it keeps none. */
  readonly spares?: SpareContainersDeps;
  /** How names are resolved for runs that are kept to a list. */
  readonly resolve?: GateOptions['resolve'];
}

interface Beginning {
  readonly plan: LaunchPlan;
  readonly log: RunLog;
  readonly starting: Starting;
  /** Of a run that is kept to a list. */
  readonly entrance?: Entrance | undefined;
}

const LEFTOVER_GRACE_S = 2;
const containersSchema = z.array(z.object({ Names: z.array(z.string()) }));

/** Runs in containers of a Docker engine, each in its own, with no more than `boxOf` gives. */
export class DockerExecutor extends ContainerExecutor {
  protected readonly kind = 'docker';
  readonly #deps: DockerExecutorDeps;
  readonly #engine: DockerEngine;
  readonly #socket: EngineSocket;
  /** By the image. */
  readonly #pulls = new Map<string, ImagePull>();
  readonly #spares: SpareContainers | undefined;
  readonly #gate: EgressGate;
  /** The names of those that were found in the engine. */
  #networks: ReadonlySet<string> = new Set();

  constructor(deps: DockerExecutorDeps) {
    super(deps);
    this.#deps = deps;
    const { config } = deps;
    this.#engine = new DockerEngine(config.address);
    this.#socket = new EngineSocket(config.address);
    const { spares, logger } = deps;
    const clean = () => void this.clean();
    this.#spares =
      spares && new SpareContainers({ ...spares, engine: this.#engine, box: deps, clean, logger });
    this.#gate = new EgressGate({ ...deps, engine: this.#engine, clean });
  }

  override get spares(): Spares {
    return this.#spares ?? NO_SPARES;
  }

  protected async check(plan: LaunchPlan): Promise<void> {
    if (plan.worksInFolder && (await this.#socket.isIn(plan.cwd)))
      throw new StartError(this.#deps.texts.engineSocketInFolder(plan.cwd));
  }

  protected override undo(name: string): Promise<boolean> {
    return this.remove(name);
  }

  protected override onExited(): void {
    // Of one that is left, the next Coordinator of this home asks again.
  }

  protected async findAll(): Promise<readonly string[]> {
    const filters = JSON.stringify({ label: [`${INSTANCE_LABEL}=${this.#deps.instanceId}`] });
    const query = { all: '1', filters };
    const answer = await this.#engine.call({ method: 'GET', path: '/containers/json', query });
    const names = containersSchema.parse(answer).flatMap(({ Names }) => Names.map((one) => one.slice(1)));
    const networks = await findNetworks(this.#engine, this.#deps.instanceId);
    this.#networks = new Set(networks);
    return [
      ...names.filter((name) => this.#spares?.has(name) !== true),
      ...networks.filter((name) => !this.#gate.has(name)),
    ];
  }

  protected remove(name: string): Promise<boolean> {
    if (this.#networks.has(name)) return this.#gate.remove(name);
    return removeContainer(this.#engine, name, this.#deps.logger);
  }

  protected async endLeftover(name: string): Promise<Leftover> {
    const { logger } = this.#deps;
    try {
      const path = `/containers/${name}/stop`;
      await this.#engine.call({ method: 'POST', path, query: { t: String(LEFTOVER_GRACE_S) } });
    } catch (error) {
      if (isNoContainer(error)) return { wasThere: false, isGone: true };
      logger.warn({ err: error, container: name }, 'container of an earlier run not stopped');
    }
    return { wasThere: true, isGone: await this.remove(name) };
  }

  protected async begin(
    name: string,
    plan: LaunchPlan,
    log: RunLog,
    starting: Starting,
  ): Promise<ContainerRun> {
    const beginning = { plan, log, starting };
    if (plan.egress === undefined) {
      const spare = await this.#spares?.take(plan, name);
      return this.#runIn(name, spare ?? (await this.#started(name, beginning)), beginning);
    }
    const entrance = await this.#gate.enter();
    try {
      const streams = await this.#started(name, { ...beginning, entrance });
      // Before its stdin, for which it waits: the first that it does may be to call the mcp-server.
      const { egress, secrets } = plan;
      await entrance.admit(name, { egress, secrets, log }).catch((error: unknown) => {
        streams.destroy();
        throw error;
      });
      const run = this.#runIn(name, streams, beginning);
      void run.exited.then(() => entrance.leave());
      return run;
    } catch (error) {
      // While a container is in it the network stays.
      await this.remove(name);
      await entrance.leave();
      throw error;
    }
  }

  override async settled(): Promise<void> {
    await this.#gate.settled();
  }

  #runIn(name: string, streams: Duplex, { plan, log }: Beginning): ContainerRun {
    const { config, logger } = this.#deps;
    streams.end(plan.egress === undefined ? stdinOf(plan) : BEGIN + stdinOf(plan));
    return new ContainerRun({
      engine: this.#engine,
      name,
      streams,
      place: { executor: 'docker', image: imageOf(plan, config), limits: limitsOf(plan, config) },
      log,
      secrets: plan.secrets,
      isLocal: 'socketPath' in config.address,
      logger: logger.child({ runId: plan.runId }),
      explain: (end) => this.#explain(plan, end),
    });
  }

  /** Pulls the image when it is missing. */
  async #started(name: string, { plan, log, starting, entrance }: Beginning): Promise<Duplex> {
    const body = boxOf(plan, this.#deps, entrance?.box);
    const spec = { name, body, logger: this.#deps.logger };
    try {
      return await startContainer(this.#engine, spec);
    } catch (error) {
      if (!isNoImage(error) || !isOfRegistry(body.Image)) throw error;
      await this.#untilPulled(body.Image, log, starting);
      return await startContainer(this.#engine, spec);
    }
  }

  async #untilPulled(image: string, log: RunLog, { signal, pulling }: Starting): Promise<void> {
    const say = (line: string) => void log.write(Buffer.from(`${line}\n`)).catch(() => undefined);
    const told = (percent: number, line: string) => {
      say(line);
      pulling?.(percent);
    };
    try {
      await this.#pullOf(image).wait({ signal, told });
    } finally {
      pulling?.(undefined);
    }
  }

  #pullOf(image: string): ImagePull {
    const { texts, pullWaitMs: waitMs } = this.#deps;
    const pull = this.#pulls.get(image) ?? new ImagePull({ engine: this.#engine, image, texts, waitMs });
    this.#pulls.set(image, pull);
    return pull;
  }

  #explain(plan: LaunchPlan, { exitCode, isOutOfMemory }: ContainerEnd) {
    const { texts, config } = this.#deps;
    const { cwd, account } = plan;
    if (isOutOfMemory) return { error: texts.outOfMemory(limitsOf(plan, config).memoryMb) };
    if (exitCode === FOLDER_NOT_WRITABLE)
      return { startError: texts.directoryNotWritable(cwd, account?.name ?? String(this.#deps.self.uid)) };
    return {};
  }

  protected asStartError(error: unknown, { image }: LaunchPlan): unknown {
    const { texts, config } = this.#deps;
    const { addressName } = config;
    if (error instanceof EngineUnreachable)
      return new StartError(texts.engineUnreachable(addressName, error.message));
    if (!(error instanceof EngineRefused)) return error;
    if (!isNoImage(error)) return new StartError(texts.engineRefused(error.message));
    return new StartError(
      image === undefined
        ? texts.imageMissing(config.image, addressName)
        : texts.agentImageMissing(image, addressName),
    );
  }
}

function isNoImage(error: unknown): boolean {
  return error instanceof EngineRefused && /no such image/i.test(error.message);
}
