import { isTimeZone } from '@aizuchi/shared/contract/time-zone';
import { Cron } from 'croner';

/** Five fields or a nickname, which is what the server accepts. */
const FIVE_FIELDS = /^(?:\S+(?:\s+\S+){4}|@[a-z]+)$/i;

export type CronReading =
  | { readonly ok: true; readonly next: readonly Date[] }
  | { readonly ok: false; readonly problem: 'expression' | 'field' | 'never' | 'time_zone' };

/** The next times of an expression in a time zone, or what is wrong with it. */
export function readCron(cron: string, timeZone: string, after: Date, count = 3): CronReading {
  if (!isTimeZone(timeZone)) return { ok: false, problem: 'time_zone' };
  const expression = cron.trim();
  if (!FIVE_FIELDS.test(expression)) return { ok: false, problem: 'expression' };
  try {
    const next = new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true }).nextRuns(
      count,
      after,
    );
    return next.length === 0 ? { ok: false, problem: 'never' } : { ok: true, next };
  } catch {
    return { ok: false, problem: 'field' };
  }
}

/** Including the used one, which the browser may list under another name. */
export function timeZones(used: string): readonly string[] {
  const zones = new Set([localTimeZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return [...zones.add(used)];
}

export function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
