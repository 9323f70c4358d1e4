import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { INSTANCE_LABEL } from './box.ts';
import { removeContainer } from './container-end.ts';
import type { DockerEngine } from './docker-engine.ts';

interface StrayContainersOptions {
  readonly engine: DockerEngine;
  readonly instanceId: string;
  /** The names of the containers that belong to a run. */
  readonly ours: ReadonlySet<string>;
  readonly logger: Logger;
}

const RETRY_MS = 10_000;

const containersSchema = z.array(z.object({ Names: z.array(z.string()) }));

/** Containers of this installation that belong to no run of ours. */
export class StrayContainers {
  readonly #options: StrayContainersOptions;
  #isRetrying = false;
  /** Said once, until it works again. */
  #hasFailed = false;

  constructor(options: StrayContainersOptions) {
    this.#options = options;
  }

  /** Removes them; goes on in the background while the engine does not answer. */
  async clean(): Promise<void> {
    if ((await this.#remove()) || this.#isRetrying) return;
    this.#isRetrying = true;
    void delay(RETRY_MS, undefined, { ref: false }).then(() => {
      this.#isRetrying = false;
      return this.clean();
    });
  }

  async #remove(): Promise<boolean> {
    const { engine, instanceId, ours, logger } = this.#options;
    const filters = JSON.stringify({ label: [`${INSTANCE_LABEL}=${instanceId}`] });
    try {
      const path = '/containers/json';
      const answer = await engine.call({ method: 'GET', path, query: { all: '1', filters } });
      const names = containersSchema.parse(answer).flatMap(({ Names }) => Names.map((one) => one.slice(1)));
      this.#hasFailed = false;
      const strays = names.filter((name) => !ours.has(name));
      return (await Promise.all(strays.map((name) => removeContainer(engine, name, logger)))).every(Boolean);
    } catch (error) {
      if (!this.#hasFailed)
        logger.warn({ err: error }, 'containers of earlier runs not looked for; trying again');
      this.#hasFailed = true;
      return false;
    }
  }
}
