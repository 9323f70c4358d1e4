import { Cron } from 'croner';
import { isTimeZone } from '../../contract/time-zone.ts';
import { AppError } from '../../platform/errors.ts';

/**
 * Five fields or a nickname: the other forms that the library accepts (seconds, years, a date) do not exist
 * in cron.
 */
const FIVE_FIELDS = /^(?:\S+(?:\s+\S+){4}|@[a-z]+)$/i;

/**
 * The first time after `after`, by the clock of the zone: a time that the clock skips comes right after the
 * skipped hour, one that it shows twice comes once. Null when there is none.
 */
export function nextTime(cron: string, timeZone: string, after: Date): Date | null {
  return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }).nextRun(after);
}

/** @throws AppError invalid_input: not an expression, not a time zone, or a day that never comes. */
export function firstTime(cron: string, timeZone: string, after: Date): Date {
  if (!isTimeZone(timeZone))
    throw new AppError('invalid_input', `timeZone: ${timeZone} is not a time zone, like Asia/Tokyo or UTC.`);
  let next: Date | null;
  try {
    if (!FIVE_FIELDS.test(cron)) throw new TypeError('not five fields');
    next = nextTime(cron, timeZone, after);
  } catch (error) {
    throw new AppError(
      'invalid_input',
      'cron: five fields are needed: minute, hour, day of month, month, day of week, like "0 9 * * 1-5".',
      { cause: error },
    );
  }
  if (next === null) throw new AppError('invalid_input', 'cron: this time never comes.');
  return next;
}
