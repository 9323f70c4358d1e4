/** Time as a value: functions that decide take `now`; only the outermost code holds a clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * For a statement that can use the time of the server: null; the time of any other clock is passed as a
 * value.
 */
export function valueOfClock(clock: Clock): Date | null {
  return clock === systemClock ? null : clock.now();
}
