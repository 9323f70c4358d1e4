/** Minutes of the day in the person's time zone; `to` is on the next day when it is not after `from`. */
export interface QuietHours {
  readonly timeZone: string;
  readonly from: number;
  readonly to: number;
  /** The days on which they begin; 0 is Sunday. */
  readonly days: readonly number[];
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/**
 * When the quiet hours of this moment end; null outside of them. By the clock on the wall: a night in which the clocks
 * are put forward is an hour shorter. A time that the clocks leave out is taken as the moment they are put forward.
 */
export function quietUntil(quiet: QuietHours | null, now: Date): Date | null {
  if (quiet === null || quiet.from === quiet.to) return null;
  const today = wallOf(now, quiet.timeZone);
  // Those that have begun yesterday, then those of today.
  for (const back of [1, 0]) {
    const day = today.day - back * DAY_MS;
    if (!quiet.days.includes(new Date(day).getUTCDay())) continue;
    const isOverNight = quiet.to <= quiet.from;
    const begin = day + quiet.from * MINUTE_MS;
    const end = day + (quiet.to + (isOverNight ? DAY_MINUTES : 0)) * MINUTE_MS;
    const wall = today.day + today.minutes * MINUTE_MS;
    if (wall >= begin && wall < end) return instantOf(end, quiet.timeZone, now);
  }
  return null;
}

interface WallTime {
  /** Midnight of the day, as if it were UTC. */
  readonly day: number;
  readonly minutes: number;
}

function wallOf(at: Date, timeZone: string): WallTime {
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { day: Date.UTC(year, month - 1, day), minutes: hour * 60 + minute };
}

/** The first moment after `after` at which the wall shows this time or a later one. */
function instantOf(wall: number, timeZone: string, after: Date): Date {
  // Within a day of it, because quiet hours last less than a day. Clocks are changed by whole minutes.
  const start = Math.floor(after.getTime() / MINUTE_MS) * MINUTE_MS;
  const showsBefore = (at: number) => {
    const { day, minutes } = wallOf(new Date(at), timeZone);
    return day + minutes * MINUTE_MS < wall;
  };
  let at = start + (wall - (wallOf(after, timeZone).day + wallOf(after, timeZone).minutes * MINUTE_MS));
  // The clocks were changed in between: what the wall shows then is off by the change.
  const { day, minutes } = wallOf(new Date(at), timeZone);
  at += wall - (day + minutes * MINUTE_MS);
  while (showsBefore(at)) at += MINUTE_MS;
  while (at - MINUTE_MS > start && !showsBefore(at - MINUTE_MS)) at -= MINUTE_MS;
  return new Date(at);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, made);
  return made;
}
