import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { INSTANCE_LABEL } from '../docker/box.ts';
import type { DockerEngine } from '../docker/docker-engine.ts';
import { removeService } from './service-end.ts';

interface StrayServicesOptions {
  readonly engine: Pick<DockerEngine, 'call'>;
  readonly instanceId: string;
  /** The names of the services that belong to a run. */
  readonly ours: ReadonlySet<string>;
  readonly logger: Logger;
}

const RETRY_MS = 10_000;
const namedSchema = z.array(z.object({ Spec: z.object({ Name: z.string() }) }));

/** Services and secrets of this installation that belong to no run of ours. */
export class StrayServices {
  readonly #options: StrayServicesOptions;
  #isRetrying = false;
  /** Said once, until it works again. */
  #hasFailed = false;

  constructor(options: StrayServicesOptions) {
    this.#options = options;
  }

  /** Removes them; goes on in the background while the manager does not answer. */
  async clean(): Promise<void> {
    if ((await this.#remove()) || this.#isRetrying) return;
    this.#isRetrying = true;
    void delay(RETRY_MS, undefined, { ref: false }).then(() => {
      this.#isRetrying = false;
      return this.clean();
    });
  }

  async #remove(): Promise<boolean> {
    const { engine, ours, logger } = this.#options;
    try {
      const names = new Set([...(await this.#names('/services')), ...(await this.#names('/secrets'))]);
      this.#hasFailed = false;
      const strays = [...names].filter((name) => !ours.has(name));
      return (await Promise.all(strays.map((name) => removeService(engine, name, logger)))).every(Boolean);
    } catch (error) {
      if (!this.#hasFailed)
        logger.warn({ err: error }, 'services of earlier runs not looked for; trying again');
      this.#hasFailed = true;
      return false;
    }
  }

  async #names(path: string): Promise<string[]> {
    const { engine, instanceId } = this.#options;
    const query = { filters: JSON.stringify({ label: [`${INSTANCE_LABEL}=${instanceId}`] }) };
    return namedSchema.parse(await engine.call({ method: 'GET', path, query })).map(({ Spec }) => Spec.Name);
  }
}
