import { wordOf } from './tokens.ts';

export const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;

/**
 * The year and the month of an item (UTC), as a question names them; days and spans are found by the time itself (see
 * time-hint.ts). They are no part of the length: a short text is not longer for its date.
 */
export function dateTerms(date: Date): string[] {
  if (Number.isNaN(date.getTime())) return [];
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return [String(year), wordOf(MONTHS[month] ?? '') ?? ''];
}
