/** The calendar of AIZUCHI_TIMEZONE: a day is a date such as 2026-11-26. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(timeZone, made);
  return made;
}

/** The formats count the years before it backwards, without a sign. */
const FIRST_YEAR = Date.parse('0001-01-02T00:00:00.000Z');

/** The date in this time zone; about the beginning of the first year, and before it, in UTC. */
export function dayOf(at: Date, timeZone: string): string {
  if (at.getTime() < FIRST_YEAR) return at.toISOString().slice(0, 10);
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

/** Longer than any day, also one in which a clock is set back, or a date left out. */
const LONGEST_DAY_MS = 50 * 3_600_000;

/** The first millisecond of the next date: not always midnight, and not always 24 hours after the last one. */
export function endOfDay(at: Date, timeZone: string): Date {
  const today = dayOf(at, timeZone);
  let last = at.getTime();
  let next = last + LONGEST_DAY_MS;
  while (next - last > 1) {
    const middle = Math.floor((last + next) / 2);
    if (dayOf(new Date(middle), timeZone) === today) last = middle;
    else next = middle;
  }
  return new Date(next);
}

/** The date that is so many days after this one. */
export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00.000Z`);
  return new Date(at.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}

/** As a clock on the wall shows it: 2026-11-27 00:00. */
export function clockTime(at: Date, timeZone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
  return `${dayOf(at, timeZone)} ${time}`;
}
