/** The state of the rows of one step, in milliseconds since the epoch. */
export interface Due {
  /** A row is past its time. */
  readonly isPast: boolean;
  /** The time of the next row that is not past it. */
  readonly nextAt: number | null;
}

/**
 * Limits how late the sweeper notices a clock that was set. A change whose hint was lost is noticed sooner: the
 * listener sees that the change log has grown.
 */
export const MAX_LOOK_INTERVAL_MS = 10_000;
/** The longest pause between two attempts at rows that cannot be handled. */
const MAX_RETRY_PAUSE_MS = 5_000;
/** Every step is run this often, whatever the deadlines are. */
export const FULL_ROUND_EVERY_MS = 60_000;
/** Changes of the same second share one look; rows that are past their time are handled no faster. */
export const PACE_MS = 1_000;
/** Deadlines that are closer together share one look. */
export const MIN_PAUSE_MS = 250;

interface StepState {
  /** When the step was run last. */
  ranAt: number;
  /** How often in a row it was run and found nothing to do. */
  fruitless: number;
  /** A reason to run it again: a row past its time, or more rows behind those that it has handled. */
  isOpen: boolean;
  nextAt: number | null;
}

/**
 * When the sweeper looks again, and which steps it then runs; pure, times in milliseconds since the epoch. A
 * step is run when a known deadline has passed, or a row is past its time. Rows that cannot be handled (a
 * rule refuses them, they always fail) are tried after 1, 2, 4 and then 5 s; a hint about a change resets
 * this.
 */
export class SweepTiming<Step extends string> {
  readonly #steps = new Map<Step, StepState>();
  #lookedAt = 0;
  #fullRoundAt = 0;
  #isHinted = false;

  constructor(steps: readonly Step[]) {
    for (const step of steps) this.#steps.set(step, { ranAt: 0, fruitless: 0, isOpen: true, nextAt: null });
  }

  /** There may be new rows that are due earlier. */
  lookSoon(): void {
    this.#isHinted = true;
  }

  /** There was a change: its rows, and rows that could not be handled, may be possible now. */
  hint(): void {
    this.lookSoon();
    for (const state of this.#steps.values()) state.fruitless = 0;
  }

  /** A look begins: later changes belong to the next one. */
  begin(now: number): void {
    this.#lookedAt = now;
    this.#isHinted = false;
  }

  /** The steps to run now. Null: the deadlines could not be read, so all of them. */
  choose(now: number, dues: ReadonlyMap<Step, Due> | null): Step[] {
    const isFull = dues === null || now - this.#fullRoundAt >= FULL_ROUND_EVERY_MS;
    if (isFull) this.#fullRoundAt = now;
    const asked: Step[] = [];
    for (const [step, state] of this.#steps) {
      // A step without deadlines decides by itself whether there is anything to do.
      const due = dues?.get(step) ?? { isPast: dues === null, nextAt: null };
      const hasCome = state.nextAt !== null && state.nextAt <= now;
      if (isFull || hasCome || !dues?.has(step) || (due.isPast && now >= againAt(state))) asked.push(step);
      if (!due.isPast) state.fruitless = 0;
      state.isOpen = due.isPast;
      state.nextAt = due.nextAt;
    }
    return asked;
  }

  /** The result of a step that was run. */
  ran(step: Step, now: number, count: number): void {
    const state = this.#steps.get(step);
    if (state === undefined) return;
    state.ranAt = now;
    state.fruitless = state.isOpen && count === 0 ? state.fruitless + 1 : 0;
    state.isOpen ||= count > 0;
  }

  /** The time of the next look. */
  nextLookAt(): number {
    let at = this.#lookedAt + MAX_LOOK_INTERVAL_MS;
    if (this.#isHinted) at = Math.min(at, this.#lookedAt + PACE_MS);
    for (const state of this.#steps.values()) {
      if (state.nextAt !== null) at = Math.min(at, state.nextAt);
      if (state.isOpen) at = Math.min(at, againAt(state));
    }
    return Math.max(at, this.#lookedAt + MIN_PAUSE_MS);
  }
}

function againAt({ ranAt, fruitless }: StepState): number {
  return ranAt + Math.min(PACE_MS * 2 ** Math.max(0, fruitless - 1), MAX_RETRY_PAUSE_MS);
}
