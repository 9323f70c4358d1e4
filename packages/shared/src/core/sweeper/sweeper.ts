import { isDatabaseAway } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import type { NewSweepStep, SweepStep } from '../sweep-step.ts';
import { Skipped } from './skipped.ts';
import { SWEEP_STEPS } from './sweep-steps.ts';

const INTERVAL_MS = 1_000;

/** A pause this long between two rounds means that we slept or the database was away: silence proves nothing yet. */
const OWN_PAUSE_MS = 10_000;

type StepName = keyof typeof SWEEP_STEPS;
const STEP_NAMES = Object.keys(SWEEP_STEPS) as StepName[];

/** What one round did, by step, so that tests and logs need no spies. */
export type SweepReport = Readonly<Record<StepName, number>>;

/**
 * Puts right what nobody asked for in time: idleness, TTLs, ends that were never finished, lost hosts, wake-ups that
 * are missing; and forgets what is kept long enough. Runs in several processes at once without a leader: every step
 * locks, looks again and is guarded. A step that fails, or a row of it, fails alone.
 */
export class Sweeper {
  readonly #deps: ServiceDeps;
  readonly #steps: readonly (readonly [StepName, SweepStep])[];
  readonly #skipped: Skipped;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #lastRoundAt = 0;
  /** Since when rounds have followed each other without a pause. */
  #awakeSince = 0;

  constructor(deps: ServiceDeps, steps: Partial<Record<StepName, NewSweepStep>> = SWEEP_STEPS) {
    this.#deps = deps;
    this.#steps = STEP_NAMES.flatMap((name) => {
      const create = steps[name];
      return create === undefined ? [] : [[name, create()] as const];
    });
    this.#skipped = new Skipped(deps, STEP_NAMES);
  }

  /** How often something was skipped because it failed, by step, since the start. */
  get skipped(): ReadonlyMap<string, number> {
    return this.#skipped.counts;
  }

  start(): void {
    const loop = () => {
      this.#round = this.runOnce()
        .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'sweep failed'))
        .then(() => {
          if (this.#timer !== undefined) this.#timer = setTimeout(loop, INTERVAL_MS);
        });
    };
    this.#timer = setTimeout(loop, INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  async runOnce(): Promise<SweepReport> {
    const startedAt = this.#deps.clock.now().getTime();
    if (startedAt - this.#lastRoundAt > OWN_PAUSE_MS) this.#awakeSince = startedAt;
    this.#lastRoundAt = startedAt;
    const context = { deps: this.#deps, awakeSince: this.#awakeSince };
    const report = Object.fromEntries(STEP_NAMES.map((name) => [name, 0])) as Record<StepName, number>;
    let isAway = false;
    for (const [name, step] of this.#steps) {
      try {
        report[name] = await step(context, this.#skipped.attemptIn(name));
        isAway = false;
      } catch (error) {
        this.#skipped.note(name, error);
        // Two in a row cannot reach the database: the others would not either, and each would wait for it.
        if (isAway && isDatabaseAway(error)) break;
        isAway = isDatabaseAway(error);
      }
    }
    return report;
  }
}
