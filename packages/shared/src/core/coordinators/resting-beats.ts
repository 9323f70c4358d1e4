import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../platform/clock.ts';
import { type CoordinatorBeat, JUST_SEEN_MS } from './coordinator-beat.ts';

type StatedBeat = Omit<CoordinatorBeat, 'asOf'>;

/**
 * The beats that this process has just stored, of Coordinators that had nothing new to say and no runs. The next held call
 * begins some milliseconds after the end of the previous one: if it says the same, there is nothing to read or to store.
 */
export class RestingBeats {
  readonly #clock: Clock;
  readonly #beats = new Map<string, { readonly beat: StatedBeat; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A beat was stored; `isAtRest`: of such a Coordinator. */
  note(beat: CoordinatorBeat, isAtRest: boolean): void {
    if (isAtRest)
      this.#beats.set(beat.coordinatorId, { beat: statedOf(beat), at: this.#clock.now().getTime() });
    else this.#beats.delete(beat.coordinatorId);
  }

  /** Whether this beat repeats one that was just noted. Each counts once. */
  take(beat: CoordinatorBeat): boolean {
    const previous = this.#beats.get(beat.coordinatorId);
    if (previous === undefined) return false;
    this.#beats.delete(beat.coordinatorId);
    const ageMs = this.#clock.now().getTime() - previous.at;
    return ageMs >= 0 && ageMs < JUST_SEEN_MS && isDeepStrictEqual(previous.beat, statedOf(beat));
  }
}

/** Each beat has a time of its own, which matters only to runs, and it has none. */
function statedOf({ asOf: _, ...beat }: CoordinatorBeat): StatedBeat {
  return beat;
}
