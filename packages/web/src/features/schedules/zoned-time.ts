/** "Mon 24 Nov, 9:00" in the reader's or another time zone; with the year only when it is not the current one. */
export function zonedTime(at: Date, now: Date, locale: string, timeZone?: string): string {
  const year = (instant: Date) =>
    new Intl.DateTimeFormat('en', { year: 'numeric', ...(timeZone && { timeZone }) }).format(instant);
  return new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(year(at) !== year(now) && { year: 'numeric' }),
    ...(timeZone !== undefined && { timeZone }),
  }).format(at);
}

/** Whether the clocks of both time zones show the same at that instant. */
export function isSameClock(at: Date, timeZone: string): boolean {
  const clock = (zone?: string) =>
    new Intl.DateTimeFormat('en', {
      dateStyle: 'short',
      timeStyle: 'short',
      ...(zone && { timeZone: zone }),
    }).format(at);
  return clock() === clock(timeZone);
}
