import { EVERYTHING, movesDeadlines } from '../../platform/change-log/keys.ts';
import { isDatabaseAway } from '../../platform/db/database.ts';
import type { ServiceDeps } from '../deps.ts';
import type { NewSweepStep, SweepStep } from '../sweep-step.ts';
import { readDeadlines } from './deadline-queries.ts';
import { Skipped } from './skipped.ts';
import { SWEEP_STEPS, type SweepStepName } from './sweep-steps.ts';
import { type Due, MAX_LOOK_INTERVAL_MS, SweepTiming } from './sweep-timing.ts';

/** Of several processes that wait for the same time one is the first; the others then find nothing to do. */
const JITTER_MS = 200;

/**
 * After a pause this long between two looks this process slept or the database was away: silence proves
 * nothing yet.
 */
const OWN_PAUSE_MS = 10_000;

const STEP_NAMES = Object.keys(SWEEP_STEPS) as SweepStepName[];
/** In `skipped`: the deadlines of all steps could not be read. */
const DEADLINES = 'deadlines';

/** The work of one round, by step, so that tests and logs need no spies. */
export type SweepReport = Readonly<Record<SweepStepName, number>>;

/**
 * Handles everything that no call has handled in time: idleness, TTLs, unfinished ends, lost hosts, missing
 * wake-ups; and deletes rows whose retention is over. Runs in several processes at the same time without a
 * leader: every step locks, checks again and updates only from the expected state. A failed step, or a failed
 * row, does not affect the others.
 *
 * It sleeps until the next deadline that it knows (SweepTiming). Hints (`onKeys`) wake it for earlier ones; a
 * lost hint costs ten seconds at most.
 */
export class Sweeper {
  readonly #deps: ServiceDeps;
  readonly #steps: ReadonlyMap<SweepStepName, SweepStep>;
  readonly #timing: SweepTiming<SweepStepName>;
  readonly #skipped: Skipped;
  #isStarted = false;
  /** Set while it sleeps. */
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #lastRoundAt = 0;
  /** Since when looks have followed each other without a pause. */
  #awakeSince = 0;

  constructor(deps: ServiceDeps, steps: Partial<Record<SweepStepName, NewSweepStep>> = SWEEP_STEPS) {
    this.#deps = deps;
    this.#steps = new Map(
      STEP_NAMES.flatMap((name) => {
        const create = steps[name];
        return create === undefined ? [] : [[name, create()] as const];
      }),
    );
    this.#timing = new SweepTiming([...this.#steps.keys()]);
    this.#skipped = new Skipped(deps, [...STEP_NAMES, DEADLINES]);
  }

  /** How often something was skipped because it failed, by step, since the start. */
  get skipped(): ReadonlyMap<string, number> {
    return this.#skipped.counts;
  }

  start(): void {
    this.#isStarted = true;
    this.#sleep();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  /** For the listener of the process: rows of these keys may be due earlier than all known deadlines. */
  onKeys(keys: readonly string[]): void {
    if (keys.some(movesDeadlines)) this.#timing.hint();
    else if (keys.includes(EVERYTHING)) this.#timing.lookSoon();
    else return;
    if (this.#timer !== undefined) this.#sleep();
  }

  /**
   * Runs the steps that may have something to do now. Returns their results; steps that were not run are
   * absent.
   */
  async look(): Promise<Partial<SweepReport>> {
    this.#timing.begin(this.#now());
    const dues = await this.#readDeadlines();
    return this.#run(this.#timing.choose(this.#now(), dues));
  }

  /** Runs every step, whatever is due. */
  async runOnce(): Promise<SweepReport> {
    const nothing = Object.fromEntries(STEP_NAMES.map((name) => [name, 0])) as Record<SweepStepName, number>;
    return { ...nothing, ...(await this.#run([...this.#steps.keys()])) };
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    const delay = Math.max(0, this.#timing.nextLookAt() - this.#now()) + Math.random() * JITTER_MS;
    this.#timer = setTimeout(() => this.#wakeUp(), Math.min(delay, MAX_LOOK_INTERVAL_MS));
  }

  #wakeUp(): void {
    this.#timer = undefined;
    this.#round = this.look()
      .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'sweep failed'))
      .then(() => {
        if (this.#isStarted) this.#sleep();
      });
  }

  /** Null: they could not be read. */
  async #readDeadlines(): Promise<ReadonlyMap<SweepStepName, Due> | null> {
    try {
      return await readDeadlines(this.#deps, this.#deps.clock.now());
    } catch (error) {
      // A single step may still be able to do its work.
      this.#skipped.note(DEADLINES, error);
      return null;
    }
  }

  async #run(steps: readonly SweepStepName[]): Promise<Partial<SweepReport>> {
    const startedAt = this.#now();
    if (startedAt - this.#lastRoundAt > OWN_PAUSE_MS) this.#awakeSince = startedAt;
    this.#lastRoundAt = startedAt;
    const context = { deps: this.#deps, awakeSince: this.#awakeSince };
    const report: Partial<Record<SweepStepName, number>> = {};
    let isAway = false;
    for (const name of steps) {
      try {
        const count = (await this.#steps.get(name)?.(context, this.#skipped.attemptIn(name))) ?? 0;
        report[name] = count;
        this.#timing.ran(name, this.#now(), count);
        isAway = false;
      } catch (error) {
        this.#skipped.note(name, error);
        this.#timing.ran(name, this.#now(), 0);
        // Two in a row cannot reach the database: the others could not either, and each would wait for it.
        if (isAway && isDatabaseAway(error)) break;
        isAway = isDatabaseAway(error);
      }
    }
    return report;
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}
