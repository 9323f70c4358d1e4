import type { ServiceDeps } from '../core/deps.ts';
import { readDeadlines } from '../core/sweeper/deadline-queries.ts';
import { SWEEP_STEPS, type SweepStepName } from '../core/sweeper/sweep-steps.ts';
import { Sweeper, type SweepReport } from '../core/sweeper/sweeper.ts';

/** The clock goes on between the two reads. */
const MEANWHILE_MS = 1_000;

/**
 * A sweeper that fails a round in which a step did something that its deadlines did not announce: in production it
 * would have been found a minute later only. So every test that sweeps tests the deadlines too.
 */
export class CheckedSweeper extends Sweeper {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    super(deps);
    this.#deps = deps;
  }

  override async runOnce(): Promise<SweepReport> {
    const soon = new Date(this.#deps.clock.now().getTime() + MEANWHILE_MS);
    const dues = await readDeadlines(this.#deps, soon);
    const report = await super.runOnce();
    // What came after it may be what it brought about.
    const first = (Object.keys(report) as SweepStepName[]).find((name) => report[name] > 0);
    if (first !== undefined && SWEEP_STEPS[first].deadlines !== undefined && !dues.get(first)?.isPast)
      throw new Error(`not announced by its deadlines: ${first}`);
    return report;
  }
}
