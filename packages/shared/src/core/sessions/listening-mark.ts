import { type Clock, valueOfClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { saveListeningMark } from './listening-queries.ts';

/*
 * Whoever takes silence for an end must have been able to hear. Beats arrive at an mcp-server and are kept in the
 * database: while neither of them was there (stopped, restarting, a laptop asleep), silence is our own outage. Any
 * process may ask, also one that was awake itself all the time.
 */

const MARK_EVERY_MS = 2_000;
export interface ListeningDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of this process: one that was started anew has heard nothing yet. */
  readonly instanceId: string;
}

/** Says as long as it runs that this process takes beats. Belongs to the process that they arrive at. */
export class ListeningMark {
  readonly #deps: ListeningDeps;
  #timer: NodeJS.Timeout | undefined;
  #marking: Promise<void> = Promise.resolve();

  constructor(deps: ListeningDeps) {
    this.#deps = deps;
  }

  start(): void {
    const loop = () => {
      this.#marking = this.mark()
        .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'listening mark not written'))
        .then(() => {
          if (this.#timer !== undefined) this.#timer = setTimeout(loop, MARK_EVERY_MS);
        });
    };
    this.#timer = setTimeout(loop, 0);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#marking;
  }

  /** One statement; by the database's clock, so that a pause of this process or of Postgres shows as a gap. */
  async mark(): Promise<void> {
    const { database, clock, instanceId } = this.#deps;
    await saveListeningMark(database, instanceId, valueOfClock(clock));
  }
}
