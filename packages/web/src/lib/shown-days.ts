import { addDays, dayOf } from '@aizuchi/shared/core/usage/rules/local-day';
import { everyDay, type UsageDay, type UsageRow } from './usage-days.ts';

/**
 * The last `count` days. The report of a project does not say which day it is where the server is: it is the newest of
 * this browser's and of the days in which something was used.
 */
export function daysShown(
  rows: readonly UsageRow[],
  count: number,
  { now, timeZone }: { readonly now: Date; readonly timeZone: string },
): readonly UsageDay[] {
  const today = dayOf(now, timeZone);
  const last = [today, ...rows.map(({ key }) => key)].toSorted().at(-1) ?? today;
  return everyDay(rows, addDays(last, 1 - count), last);
}
