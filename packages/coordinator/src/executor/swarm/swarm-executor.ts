import { z } from 'zod';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import { StartError } from '../../launch/start-error.ts';
import type { RunLog } from '../../log/run-log.ts';
import type { JournalEntry } from '../../state/run-journal.ts';
import { limitsOf } from '../docker/box.ts';
import { DockerEngine, EngineRefused, EngineUnreachable } from '../docker/docker-engine.ts';
import type { DockerExecutorDeps } from '../docker/docker-executor.ts';
import { EngineSocket } from '../docker/engine-socket.ts';
import type { Adopted, Executor, RunHandle } from '../executor.ts';
import { explainEnd } from './explain-end.ts';
import { beginningOf } from './service-beginning.ts';
import { endLeftover, type Leftover } from './service-leftover.ts';
import { ServiceRun } from './service-run.ts';
import { secretOf, serviceOf } from './service-spec.ts';
import { StrayServices } from './stray-services.ts';
import { SwarmWatch } from './swarm-watch.ts';
import { endOf, nodeName } from './task-state.ts';

const madeSchema = z.object({ ID: z.string() });

/** Runs in services of a Docker swarm, each in its own, with no more than `serviceOf` gives. */
export class SwarmExecutor implements Executor {
  readonly #deps: DockerExecutorDeps;
  readonly #engine: DockerEngine;
  readonly #watch: SwarmWatch;
  /** Services that are being made or belong to a run of ours. */
  readonly #ours = new Set<string>();
  readonly #socket: EngineSocket;
  readonly #strays: StrayServices;

  constructor(deps: DockerExecutorDeps) {
    this.#deps = deps;
    const { instanceId, logger, config } = deps;
    this.#engine = new DockerEngine(config.address);
    const engine = this.#engine;
    this.#watch = new SwarmWatch({ engine, instanceId, logger });
    this.#strays = new StrayServices({ engine, instanceId, ours: this.#ours, logger });
    this.#socket = new EngineSocket(config.address);
  }

  /** `signal`: it shall not start any more. */
  async start(plan: LaunchPlan, log: RunLog, signal?: AbortSignal): Promise<RunHandle> {
    const { journal, bootId, texts } = this.#deps;
    if (plan.worksInFolder && (await this.#socket.isIn(plan.cwd)))
      throw new StartError(texts.engineSocketInFolder(plan.cwd));
    await journal.write({ runId: plan.runId, bootId, executor: 'swarm' });
    const name = this.#nameOf(plan.runId);
    this.#ours.add(name);
    try {
      const run = await this.#begin(name, plan, log, signal);
      void run.exited.then(() => {
        this.#ours.delete(name);
        if (run.survivors.length > 0) void this.clean();
      });
      return run;
    } catch (error) {
      // It may begin at its node by now: the next start enters the same folder.
      const { isGone } = await this.#endLeftover(name);
      this.#ours.delete(name);
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
      const { wasThere, isGone } = await this.#endLeftover(name);
      return wasThere ? { found: [name], left: isGone ? [] : [name] } : { found: [], left: [] };
    } finally {
      // One that is left is removed by `clean`, when the manager answers again.
      this.#ours.delete(name);
    }
  }

  clean(): Promise<void> {
    return this.#strays.clean();
  }

  async settled(): Promise<void> {
    // A run is removed before its exit.
  }

  #endLeftover(name: string): Promise<Leftover> {
    return endLeftover(name, { engine: this.#engine, watch: this.#watch, logger: this.#deps.logger });
  }

  async #begin(name: string, plan: LaunchPlan, log: RunLog, signal?: AbortSignal): Promise<ServiceRun> {
    const { config, logger, texts, self } = this.#deps;
    const engine = this.#engine;
    const secret = secretOf(plan, name, this.#deps);
    const secretId = secret && (await this.#make('/secrets/create', secret));
    const serviceId = await this.#make('/services/create', serviceOf(plan, name, secretId, this.#deps));
    const { task, sight } = await beginningOf(serviceId, {
      watch: this.#watch,
      texts,
      image: config.image,
      signal,
    });
    const node = nodeName(task.NodeID, sight);
    const explain = explainEnd(plan, { node, texts, config, self });
    // The start counts as failed only when nothing ever ran: then there is no output either.
    const end = endOf(task.ID, sight, false);
    if (end?.kind === 'refused')
      throw new StartError(explain(end).startError ?? texts.swarmRefused(end.reason));
    const limits = limitsOf(plan, config);
    return new ServiceRun({
      engine,
      watch: this.#watch,
      name,
      task,
      place: { executor: 'swarm', node, image: config.image, limits },
      log,
      secrets: plan.secrets,
      logger: logger.child({ runId: plan.runId }),
      explain,
    });
  }

  async #make(path: string, body: unknown): Promise<string> {
    return madeSchema.parse(await this.#engine.call({ method: 'POST', path, body })).ID;
  }

  #asStartError(error: unknown): unknown {
    const { texts, config } = this.#deps;
    if (error instanceof EngineUnreachable)
      return new StartError(texts.engineUnreachable(config.addressName, error.message));
    if (!(error instanceof EngineRefused)) return error;
    return new StartError(texts.swarmRefused(error.message));
  }

  /** The same for every Coordinator of this home, and no other has it. */
  #nameOf(runId: string): string {
    return `aizuchi-${this.#deps.instanceId.slice(0, 12)}-${runId}`;
  }
}
