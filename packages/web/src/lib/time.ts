import { useSyncExternalStore } from 'react';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Creating a format is expensive, and a board needs a thousand texts at once. */
const relativeFormat = byLocale(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' }),
);
const dayFormat = byLocale((locale) => new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' }));
const dayOfYearFormat = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', year: 'numeric' }),
);
const clockFormat = byLocale(
  // `hour12: false` would call the first minutes of a day 24:05 in English.
  (locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
);
const exactFormat = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
);

/** "3m ago"; after a week the day. */
export function relativeTime(at: Date, now: Date, locale: string): string {
  const ago = now.getTime() - at.getTime();
  const format = relativeFormat(locale);
  if (Math.abs(ago) < MINUTE) return format.format(0, 'second');
  if (Math.abs(ago) < HOUR) return format.format(-Math.trunc(ago / MINUTE), 'minute');
  if (Math.abs(ago) < DAY) return format.format(-Math.trunc(ago / HOUR), 'hour');
  if (Math.abs(ago) < 7 * DAY) return format.format(Math.round((midnight(at) - midnight(now)) / DAY), 'day');
  return dayOf(at, now, locale);
}

/** The days of a clock change have 23 or 25 hours. */
function midnight(at: Date): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** With the year only when it is not the current one. */
export function dayOf(at: Date, now: Date, locale: string): string {
  const isThisYear = at.getFullYear() === now.getFullYear();
  return (isThisYear ? dayFormat : dayOfYearFormat)(locale).format(at);
}

/** 10:02 */
export function clockTime(at: Date, locale: string): string {
  return clockFormat(locale).format(at);
}

/** Day, time and seconds, for the hover. */
export function exactTime(at: Date, locale: string): string {
  return exactFormat(locale).format(at);
}

/** A running time: 0.4, 12, 4:12, 2:29:00. */
export function stopwatch(ms: number, digits: 0 | 1 = 1): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10 && digits > 0) return seconds.toFixed(digits);
  if (seconds < 60) return String(Math.floor(seconds));
  const parts = [Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const hours = Math.floor(seconds / 3_600);
  return hours > 0 ? [hours, ...parts].join(':') : `${Number(parts[0])}:${parts[1] ?? '00'}`;
}

/** "5 min", "2 hr": a duration in its largest unit. */
export function timeSpan(ms: number, locale: string): string {
  const [amount, unit] =
    ms < MINUTE
      ? [ms / 1_000, 'second']
      : ms < HOUR
        ? [ms / MINUTE, 'minute']
        : ms < DAY
          ? [ms / HOUR, 'hour']
          : [ms / DAY, 'day'];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(
    Math.trunc(amount),
  );
}

function byLocale<T>(make: (locale: string) => T): (locale: string) => T {
  const made = new Map<string, T>();
  return (locale) => {
    const known = made.get(locale) ?? make(locale);
    made.set(locale, known);
    return known;
  };
}

/** The current time, updated every `everyMs`; components with the same interval share one timer. */
export function useNow(everyMs: number): Date {
  const ticker = tickerOf(everyMs);
  return useSyncExternalStore(ticker.subscribe, ticker.get);
}

const tickers = new Map<number, ReturnType<typeof createTicker>>();

function tickerOf(everyMs: number) {
  const ticker = tickers.get(everyMs) ?? createTicker(everyMs);
  tickers.set(everyMs, ticker);
  return ticker;
}

function createTicker(everyMs: number) {
  const listeners = new Set<() => void>();
  let now = new Date();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    get: () => {
      // Without subscribers there is no timer, so the time may be old.
      if (timer === undefined && Date.now() - now.getTime() > everyMs) now = new Date();
      return now;
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = new Date();
        for (const one of listeners) one();
      }, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
