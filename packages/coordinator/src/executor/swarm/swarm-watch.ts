import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { INSTANCE_LABEL } from '../docker/box.ts';
import type { DockerEngine } from '../docker/docker-engine.ts';
import { nodeSchema, type Sight, taskSchema } from './task-state.ts';

/** One question for the runs of all services: a manager has no call that waits for the end of a task. */
const INTERVAL_MS = 500;
const tasksSchema = z.array(taskSchema);
const nodesSchema = z.array(nodeSchema);

interface SwarmWatchOptions {
  readonly engine: Pick<DockerEngine, 'call'>;
  readonly instanceId: string;
  readonly logger: Logger;
}

type Waiter = (sight: Sight) => boolean;

/** Looks at the tasks of one installation and at the nodes, while somebody waits for something. */
export class SwarmWatch {
  readonly #options: SwarmWatchOptions;
  readonly #waiters = new Set<Waiter>();
  #isLooking = false;

  constructor(options: SwarmWatchOptions) {
    this.#options = options;
  }

  /** The first answer to what is asked of a sight that was asked for from now on; undefined once aborted. */
  until<T>(answer: (sight: Sight) => T | undefined, signal?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve) => {
      const waiter: Waiter = (sight) => {
        const found = answer(sight);
        if (found === undefined) return false;
        resolve(found);
        return true;
      };
      signal?.addEventListener('abort', () => {
        this.#waiters.delete(waiter);
        resolve(undefined);
      });
      if (signal?.aborted) return resolve(undefined);
      this.#waiters.add(waiter);
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    let failures = 0;
    while (this.#waiters.size > 0) {
      const asked = [...this.#waiters];
      try {
        const sight = await this.#sight();
        failures = 0;
        for (const waiter of asked) if (waiter(sight)) this.#waiters.delete(waiter);
      } catch (error) {
        failures += 1;
        // It may be restarted, or another manager takes over.
        if (failures === 1)
          this.#options.logger.warn({ err: error }, 'the manager does not answer; asking again');
      }
      if (this.#waiters.size > 0) await delay(INTERVAL_MS, undefined, { ref: false });
    }
    this.#isLooking = false;
  }

  async #sight(): Promise<Sight> {
    const { engine, instanceId } = this.#options;
    const query = { filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${instanceId}`] }) };
    const [tasks, nodes] = await Promise.all([
      engine.call({ method: 'GET', path: '/tasks', query }),
      engine.call({ method: 'GET', path: '/nodes' }),
    ]);
    return {
      tasks: tasksSchema.parse(tasks),
      nodes: new Map(nodesSchema.parse(nodes).map((node) => [node.ID, node])),
    };
  }
}
