import { addDays, dayOf } from '../../../usage/rules/local-day.ts';
import { MONTHS } from '../date-terms.ts';

const WEEKDAYS: readonly (readonly [RegExp, number])[] = [
  [/\bsun(?:day)?\b|日曜/iu, 0],
  [/\bmon(?:day)?\b|月曜/iu, 1],
  [/\btue(?:s|sday)?\b|火曜/iu, 2],
  [/\bwed(?:nesday)?\b|水曜/iu, 3],
  [/\bthu(?:rs|rsday)?\b|木曜/iu, 4],
  [/\bfri(?:day)?\b|金曜/iu, 5],
  [/\bsat(?:urday)?\b|土曜/iu, 6],
];
const MONTH = MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|');
const ISO = /(?<!\d)(?<y>20\d{2})-(?<m>\d{1,2})-(?<d>\d{1,2})(?!\d)/u;
const JAPANESE = /(?:(?<y>20\d{2})年)?(?<m>\d{1,2})月(?<d>\d{1,2})日/u;
const ENGLISH = new RegExp(
  String.raw`\b(?<name>${MONTH})\b\.?\s+(?<d>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?<y>20\d{2}))?`,
  'iu',
);

/** The day by which something is to be done, as it was said on a day of `timeZone`. null: none is named. */
export function dueDayOf(text: string, at: Date, timeZone: string): string | null {
  const today = dayOf(at, timeZone);
  const dated = datedIn(text, today);
  if (dated) return dated;
  if (/day after tomorrow|明後日|あさって/iu.test(text)) return addDays(today, 2);
  if (/\btomorrow\b|明日|あした/iu.test(text)) return addDays(today, 1);
  if (/\btoday\b|\btonight\b|今日|今夜/iu.test(text)) return today;
  const weekday = WEEKDAYS.find(([pattern]) => pattern.test(text));
  if (weekday) {
    const now = new Date(`${today}T00:00:00Z`).getUTCDay();
    return addDays(today, ((weekday[1] - now + 6) % 7) + 1);
  }
  if (/\bnext week\b|来週/iu.test(text)) return addDays(today, 7);
  if (/\bnext month\b|来月/iu.test(text)) return addDays(today, 31);
  return null;
}

function datedIn(text: string, today: string): string | null {
  const groups = (ISO.exec(text) ?? JAPANESE.exec(text) ?? ENGLISH.exec(text))?.groups;
  if (!groups) return null;
  const name = groups.name?.toLowerCase().slice(0, 3);
  const month = name ? MONTHS.findIndex((one) => one.startsWith(name)) + 1 : Number(groups.m);
  const day = Number(groups.d);
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const of = (year: number) => `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const year = Number(groups.y ?? today.slice(0, 4));
  // Without a year the next one of that name, but not one of nearly a year ahead: it was some days ago.
  const named = of(year);
  return groups.y === undefined && named < addDays(today, -60) ? of(year + 1) : named;
}
