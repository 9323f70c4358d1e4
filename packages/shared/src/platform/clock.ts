/** Time as a value: what decides takes `now`; only the edges hold a clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** For a statement that can take the server's time itself: null; the time of any other clock is a value of it. */
export function valueOfClock(clock: Clock): Date | null {
  return clock === systemClock ? null : clock.now();
}
