import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';

interface StraysOptions {
  /** The names of what belongs to a run. */
  readonly ours: ReadonlySet<string>;
  /** The names of all that this installation has there. */
  readonly find: () => Promise<readonly string[]>;
  /** False when it is still there. */
  readonly remove: (name: string) => Promise<boolean>;
  readonly logger: Logger;
}

const RETRY_MS = 10_000;

/** What this installation has left in an engine and what belongs to no run of ours. */
export class Strays {
  readonly #options: StraysOptions;
  #isRetrying = false;
  /** Said once, until it works again. */
  #hasFailed = false;

  constructor(options: StraysOptions) {
    this.#options = options;
  }

  /** Removes it; goes on in the background while the engine does not answer. */
  async clean(): Promise<void> {
    if ((await this.#remove()) || this.#isRetrying) return;
    this.#isRetrying = true;
    void delay(RETRY_MS, undefined, { ref: false }).then(() => {
      this.#isRetrying = false;
      return this.clean();
    });
  }

  async #remove(): Promise<boolean> {
    const { find, remove, ours, logger } = this.#options;
    try {
      const names = new Set(await find());
      this.#hasFailed = false;
      const strays = [...names].filter((name) => !ours.has(name));
      return (await Promise.all(strays.map(remove))).every(Boolean);
    } catch (error) {
      if (!this.#hasFailed)
        logger.warn({ err: error }, 'containers of earlier runs not looked for; trying again');
      this.#hasFailed = true;
      return false;
    }
  }
}
