export const SNOOZES = ['hour', 'hours', 'tomorrow'] as const;
export type Snooze = (typeof SNOOZES)[number];

const HOUR_MS = 3_600_000;
const MORNING_HOUR = 9;

/** In one hour, in four, or tomorrow at nine by the clock of this device. */
export function snoozeUntil(option: Snooze, now: Date): Date {
  if (option === 'hour') return new Date(now.getTime() + HOUR_MS);
  if (option === 'hours') return new Date(now.getTime() + 4 * HOUR_MS);
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, MORNING_HOUR);
}
