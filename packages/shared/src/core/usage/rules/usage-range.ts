import { addDays, dayOf } from './local-day.ts';

/** The longest range of one report. */
export const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

export interface UsageRange {
  /** Both are dates, and both are included. */
  readonly from: string;
  readonly to: string;
}

export type UsageRangeDecision =
  | { readonly ok: true; readonly range: UsageRange }
  | { readonly ok: false; readonly refusal: 'ends_before_it_begins' | 'too_long' };

/**
 * The days that a report covers. A bound is a date, or an instant, which stands for the day that holds it; a `to` at
 * midnight stands for the day that ends then.
 */
export function decideUsageRange(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
): UsageRangeDecision {
  const to = asked.to === undefined ? dayOf(now, timeZone) : lastDay(asked.to, timeZone);
  const from = asked.from === undefined ? addDays(to, 1 - DEFAULT_DAYS) : firstDay(asked.from, timeZone);
  if (from > to) return { ok: false, refusal: 'ends_before_it_begins' };
  if (addDays(from, MAX_DAYS) <= to) return { ok: false, refusal: 'too_long' };
  return { ok: true, range: { from, to } };
}

function firstDay(bound: string, timeZone: string): string {
  return isDate(bound) ? bound : dayOf(new Date(bound), timeZone);
}

function lastDay(bound: string, timeZone: string): string {
  return isDate(bound) ? bound : dayOf(new Date(new Date(bound).getTime() - 1), timeZone);
}

function isDate(bound: string): boolean {
  return bound.length === 10;
}
