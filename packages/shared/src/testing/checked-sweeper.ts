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
    const startedAt = this.#now();
    const dues = await readDeadlines(this.#deps, new Date(startedAt + MEANWHILE_MS));
    const report = await super.runOnce();
    // On a host whose CPU is taken away a row may have become due after the deadlines were read.
    if (this.#now() - startedAt > MEANWHILE_MS) return report;
    // What came after it may be what it brought about.
    const first = (Object.keys(report) as SweepStepName[]).find((name) => report[name] > 0);
    if (first !== undefined && SWEEP_STEPS[first].deadlines !== undefined && !dues.get(first)?.isPast)
      throw new Error(`not announced by its deadlines: ${first}`);
    return report;
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}
