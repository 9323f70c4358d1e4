import { type Clock, valueOfClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { saveListeningMark } from './listening-queries.ts';

/*
 * Silence counts as an end only for time in which calls could be received. Beats arrive at an mcp-server and
 * are stored in the database: while one of them was not there (stopped, restarting, a laptop asleep), silence
 * is our own outage. Any process may check this, also one that ran itself all the time.
 */

const MARK_EVERY_MS = 4_000;

export interface ListeningDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The mark of this process: after a restart it has received nothing yet. */
  readonly instanceId: string;
}

/** Records, while it runs, that this process receives beats. Used by the process at which they arrive. */
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

  /**
   * One statement, by the clock of the database, so that a pause of this process or of Postgres is visible as
   * a gap.
   */
  async mark(): Promise<void> {
    const { database, clock, instanceId } = this.#deps;
    await saveListeningMark(database, instanceId, valueOfClock(clock));
  }
}
