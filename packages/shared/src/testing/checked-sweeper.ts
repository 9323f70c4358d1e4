import type { ServiceDeps } from '../core/deps.ts';
import type { NewSweepStep } from '../core/sweep-step.ts';
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
  readonly #missed: SweepStepName[];

  constructor(deps: ServiceDeps) {
    const missed: SweepStepName[] = [];
    const steps = Object.entries(SWEEP_STEPS) as [SweepStepName, NewSweepStep][];
    super(
      deps,
      Object.fromEntries(steps.map(([name, create]) => [name, checked(name, create, deps, missed)])),
    );
    this.#missed = missed;
  }

  override async runOnce(): Promise<SweepReport> {
    const report = await super.runOnce();
    if (this.#missed.length > 0)
      throw new Error(`not announced by its deadlines: ${this.#missed.join(', ')}`);
    return report;
  }
}

function checked(
  name: SweepStepName,
  create: NewSweepStep,
  deps: ServiceDeps,
  missed: SweepStepName[],
): NewSweepStep {
  if (create.deadlines === undefined) return create;
  return () => {
    const step = create();
    return async (context, attempt) => {
      const soon = new Date(deps.clock.now().getTime() + MEANWHILE_MS);
      const dues = await readDeadlines(deps, soon);
      const count = await step(context, attempt);
      if (count > 0 && !dues.get(name)?.isPast) missed.push(name);
      return count;
    };
  };
}
