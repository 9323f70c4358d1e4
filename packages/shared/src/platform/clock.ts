/** Time as a value: what decides takes `now`; only the edges hold a clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
