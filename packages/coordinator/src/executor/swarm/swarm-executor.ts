import { z } from 'zod';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { StartError } from '../../launch/start-error.ts';
import type { RunLog } from '../../log/run-log.ts';
import { ContainerExecutor, type Leftover } from '../container-executor.ts';
import { INSTANCE_LABEL, imageOf, limitsOf } from '../docker/box.ts';
import { DockerEngine, EngineRefused, EngineUnreachable } from '../docker/docker-engine.ts';
import type { DockerExecutorDeps } from '../docker/docker-executor.ts';
import { EngineSocket } from '../docker/engine-socket.ts';
import type { RunHandle, Starting } from '../executor.ts';
import { explainEnd } from './explain-end.ts';
import { beginningOf } from './service-beginning.ts';
import { removeService } from './service-end.ts';
import { endLeftover } from './service-leftover.ts';
import { serviceRun } from './service-run.ts';
import { secretOf, serviceOf } from './service-spec.ts';
import { SwarmWatch } from './swarm-watch.ts';
import { endOf, nodeName } from './task-state.ts';

const madeSchema = z.object({ ID: z.string() });
const namedSchema = z.array(z.object({ Spec: z.object({ Name: z.string() }) }));

/** Runs in services of a Docker swarm, each in its own, with no more than `serviceOf` gives. */
export class SwarmExecutor extends ContainerExecutor {
  protected readonly kind = 'swarm';
  readonly #deps: DockerExecutorDeps;
  readonly #engine: DockerEngine;
  readonly #watch: SwarmWatch;
  readonly #socket: EngineSocket;

  constructor(deps: DockerExecutorDeps) {
    super(deps);
    this.#deps = deps;
    const { instanceId, logger, config } = deps;
    this.#engine = new DockerEngine(config.address);
    this.#watch = new SwarmWatch({ engine: this.#engine, instanceId, logger });
    this.#socket = new EngineSocket(config.address);
  }

  protected async check(plan: LaunchPlan): Promise<void> {
    if (plan.worksInFolder && (await this.#socket.isIn(plan.cwd)))
      throw new StartError(this.#deps.texts.engineSocketInFolder(plan.cwd));
  }

  protected async findAll(): Promise<readonly string[]> {
    return [...(await this.#names('/services')), ...(await this.#names('/secrets'))];
  }

  protected remove(name: string): Promise<boolean> {
    return removeService(this.#engine, name, this.#deps.logger);
  }

  protected endLeftover(name: string): Promise<Leftover> {
    return endLeftover(name, { engine: this.#engine, watch: this.#watch, logger: this.#deps.logger });
  }

  protected async begin(
    name: string,
    plan: LaunchPlan,
    log: RunLog,
    { signal }: Starting,
  ): Promise<RunHandle> {
    const { config, logger, texts, self } = this.#deps;
    const engine = this.#engine;
    const secret = secretOf(plan, name, this.#deps);
    const secretId = secret && (await this.#make('/secrets/create', secret));
    const serviceId = await this.#make('/services/create', serviceOf(plan, name, secretId, this.#deps));
    const { task, sight } = await beginningOf(serviceId, {
      watch: this.#watch,
      texts,
      image: imageOf(plan, config),
      signal,
    });
    const node = nodeName(task.NodeID, sight);
    const explain = explainEnd(plan, { node, texts, config, self });
    // The start counts as failed only when nothing ever ran: then there is no output either.
    const end = endOf(task.ID, sight, false);
    if (end?.kind === 'refused')
      throw new StartError(explain(end).startError ?? texts.swarmRefused(end.reason));
    const limits = limitsOf(plan, config);
    return serviceRun({
      engine,
      watch: this.#watch,
      name,
      task,
      place: { executor: 'swarm', node, image: imageOf(plan, config), limits },
      log,
      secrets: plan.secrets,
      logger: logger.child({ runId: plan.runId }),
      explain,
    });
  }

  async #names(path: string): Promise<string[]> {
    const query = { filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${this.#deps.instanceId}`] }) };
    const answer = await this.#engine.call({ method: 'GET', path, query });
    return namedSchema.parse(answer).map(({ Spec }) => Spec.Name);
  }

  async #make(path: string, body: unknown): Promise<string> {
    return madeSchema.parse(await this.#engine.call({ method: 'POST', path, body })).ID;
  }

  protected asStartError(error: unknown): unknown {
    const { texts, config } = this.#deps;
    if (error instanceof EngineUnreachable)
      return new StartError(texts.engineUnreachable(config.addressName, error.message));
    if (!(error instanceof EngineRefused)) return error;
    return new StartError(texts.swarmRefused(error.message));
  }
}
