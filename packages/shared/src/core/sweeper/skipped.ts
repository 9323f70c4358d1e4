import type { Clock } from '../../platform/clock.ts';
import { isDatabaseAway } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Attempt } from '../sweep-step.ts';

const SAY_EVERY_MS = 60_000;

interface Said {
  readonly at: number;
  /** Not logged since then. */
  unsaid: number;
}

/** Failures of the sweeper: counted for the metric, and logged at most once per minute and step. */
export class Skipped {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #counts: Map<string, number>;
  readonly #said = new Map<string, Said>();

  constructor(deps: { clock: Clock; logger: Logger }, steps: readonly string[]) {
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    // Present from the start: an alarm needs the value 0 before the value 1.
    this.#counts = new Map(steps.map((step) => [step, 0]));
  }

  /** By step, since the process began. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /**
   * Isolates the rows of one step; when the database is away this is not a failure of a row, and ends the
   * step.
   */
  attemptIn(step: string): Attempt {
    return async (row, work) => {
      try {
        return await work();
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        this.note(step, error, row);
        return false;
      }
    };
  }

  /** Without `row`: the step itself failed. */
  note(step: string, error: unknown, row?: string): void {
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1);
    const now = this.#clock.now().getTime();
    const said = this.#said.get(step);
    if (said !== undefined && now - said.at < SAY_EVERY_MS) {
      said.unsaid += 1;
      return;
    }
    this.#said.set(step, { at: now, unsaid: 0 });
    this.#logger.warn(
      { err: error, step, row, alsoSkipped: said?.unsaid ?? 0 },
      'the sweeper skipped something',
    );
  }
}
