import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import type { LaunchPlan, PlanOptions } from '../../launch/launch-plan.ts';
import { spareEnvironment } from '../../launch/run-environment.ts';
import { type Spare, SparePool, type Spares } from '../../launch/spare-pool.ts';
import { SPARE_PROVIDER, spareTraceId } from '../../launch/spare-runners.ts';
import { type BoxOptions, boxOf } from './box.ts';
import { removeContainer } from './container-end.ts';
import type { DockerEngine } from './docker-engine.ts';
import { startContainer } from './start-container.ts';

export interface SpareContainersDeps {
  /** How many are kept; 0: none. */
  readonly count: number;
  readonly plan: Pick<PlanOptions, 'config' | 'runner' | 'accounts' | 'env'>;
}

interface Surroundings {
  /** Removes what belongs to no run and is no spare, as soon as the engine answers. */
  readonly clean: () => void;
  readonly engine: DockerEngine;
  readonly box: BoxOptions;
  readonly logger: Logger;
}

interface SpareContainer extends Spare {
  readonly name: string;
  readonly streams: Duplex;
  /** Its end is not waited for any more. */
  readonly release: () => void;
}

/** Longer than a call of the engine: a container may still come of one that was given up. */
const LOOK_FOR_REMAINS_MS = 30_000;
/** A call of the engine. An update that was not seen yet is seen when a run takes the spare. */
const LOOK_FOR_UPDATE_MS = 60_000;
const imageSchema = z.object({ Id: z.string() });
const containerSchema = z.object({ Image: z.string(), State: z.object({ Running: z.boolean() }) });

/**
 * Containers of the built-in agent that were started before anybody needs one. A run takes one when it would get the same
 * box, and the container gets the name of the run. A spare ends with its Coordinator, which holds its stdin; its remains
 * are strays to the next.
 */
export class SpareContainers implements Spares {
  readonly #deps: SpareContainersDeps & Surroundings;
  readonly #pool: SparePool<SpareContainer>;
  readonly #names = new Set<string>();

  constructor(deps: SpareContainersDeps & Surroundings) {
    this.#deps = deps;
    this.#pool = new SparePool({
      count: deps.count,
      version: () => this.#imageId(),
      make: (version) => this.#make(version),
      missing: 'the engine has no image of runs, so no spare',
      lookEveryMs: LOOK_FOR_UPDATE_MS,
      logger: deps.logger,
    });
  }

  get count(): number {
    return this.#pool.count;
  }

  start(): void {
    this.#pool.start();
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  /** Whether a container of this name is a spare, or is becoming one or the container of a run. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The streams of a container that is called `name` now and belongs to the caller; undefined when none fits. */
  async take(plan: LaunchPlan, name: string): Promise<Duplex | undefined> {
    const { engine, box, logger } = this.#deps;
    if (!isSameBox(boxOf(plan, box), this.#boxFor(plan.runId))) return undefined;
    const spare = await this.#pool.take();
    if (!spare) return undefined;
    try {
      await engine.call({ method: 'POST', path: `/containers/${spare.name}/rename`, query: { name } });
    } catch (error) {
      logger.warn({ err: error, container: spare.name }, 'spare container not taken');
      void spare.end();
      // It may have it all the same, and the container of the run is to get it.
      await removeContainer(engine, name, logger);
      return undefined;
    }
    this.#names.delete(spare.name);
    spare.release();
    return spare.streams;
  }

  #boxFor(runId: string) {
    const { plan, box } = this.#deps;
    const account = plan.accounts.runner;
    const env = spareEnvironment(
      plan.env,
      { mcpUrl: plan.config.mcpUrl, traceId: runId },
      { extraNames: plan.config.agentEnvNames, account },
    );
    const { node: file, bundle } = plan.runner;
    return boxOf(
      { runId, file, args: [bundle, SPARE_PROVIDER], env, account, worksInFolder: false, cwd: '/' },
      box,
    );
  }

  async #make(version: string): Promise<SpareContainer> {
    const { engine, box, logger, clean } = this.#deps;
    const traceId = spareTraceId();
    const name = `aizuchi-${box.instanceId.slice(0, 12)}-${traceId}`;
    this.#names.add(name);
    const watch = new AbortController();
    let streams: Duplex | undefined;
    const end = once(async () => {
      watch.abort();
      streams?.destroy();
      const isGone = await removeContainer(engine, name, logger);
      // What is still there is a stray from now on.
      this.#names.delete(name);
      if (!isGone) clean();
    });
    try {
      streams = await startContainer(engine, { name, body: this.#boxFor(traceId), logger });
      return {
        name,
        streams,
        version,
        ended: engine
          .call({ method: 'POST', path: `/containers/${name}/wait`, signal: watch.signal })
          .catch(() => undefined),
        lives: () => this.#lives(name, version),
        end,
        release: () => watch.abort(),
      };
    } catch (error) {
      await end();
      setTimeout(clean, LOOK_FOR_REMAINS_MS).unref();
      throw error;
    }
  }

  async #lives(name: string, version: string): Promise<boolean> {
    const answer = await this.#deps.engine
      .call({ method: 'GET', path: `/containers/${name}/json` })
      .catch(() => undefined);
    const { data } = containerSchema.safeParse(answer);
    return data?.State.Running === true && data.Image === version;
  }

  /** Another after each build of the image; undefined when there is none, or the engine does not answer. */
  async #imageId(): Promise<string | undefined> {
    const { engine, box } = this.#deps;
    const path = `/images/${box.config.image}/json`;
    const answer = await engine.call({ method: 'GET', path }).catch(() => undefined);
    return imageSchema.safeParse(answer).data?.Id;
  }
}

/** What a run is told in its environment; a spare reads it from the launch line. */
const OF_THE_RUN = /^AIZUCHI_(?:AGENT_ID|PROJECT_ID|PURPOSE|RUN_ID)=/;

type Box = ReturnType<typeof boxOf>;

function isSameBox(one: Box, other: Box): boolean {
  const compared = (box: Box) => ({ ...box, Env: box.Env.filter((entry) => !OF_THE_RUN.test(entry)).sort() });
  return isDeepStrictEqual(compared(one), compared(other));
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
