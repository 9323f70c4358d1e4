import { addDays, dayOf, endOfDay } from '../../../usage/rules/local-day.ts';
import { lifeStageOf } from '../time-hint.ts';
import { type Annotation, LOOKED_AT } from './write-plan.ts';

const DAY_MS = 86_400_000;
const YEAR =
  /(?<![\d.,])(?<year>(?:19|20)\d{2})(?:\s*年|(?=[-/.]\d{1,2}(?!\d))|(?![\d.,]\d|\s*(?:円|yen|個|人|件|回|kg|km|ml|mb|gb)))/giu;
/** A number of four digits alone is a year only where one is named. */
const NAMES_YEAR =
  /\b(?:in|since|until|during|of|year|around|from|by)\s+(?:the year\s+)?(?:19|20)\d{2}\b|(?:19|20)\d{2}\s*年|(?<!\d)(?:19|20)\d{2}[-/.]\d{1,2}(?!\d)/iu;
const AGO: readonly (readonly [RegExp, number])[] = [
  [/\blast year\b|去年|昨年/iu, 1],
  [/\byear before last\b|一昨年|おととし/iu, 2],
  [/\bnext year\b|来年/iu, -1],
  [/\bthis year\b|今年/iu, 0],
];
const YEARS_AGO = /(?<!\d)(?<years>\d{1,2})\s*(?:years?\s+ago|年前)/giu;
/** Days from and to, seen from the day of the telling. */
const DAYS: readonly (readonly [RegExp, number, number])[] = [
  [/\bday before yesterday\b|一昨日|おととい/iu, -2, -2],
  [/(?<!before )\byesterday\b|昨日|きのう/iu, -1, -1],
  [/(?<!day after )\btomorrow\b|(?<!説)明日|あした/iu, 1, 1],
  [/\bday after tomorrow\b|明後日|あさって/iu, 2, 2],
  [/\btoday\b|\btonight\b|今日|きょう|今夜|本日/iu, 0, 0],
  [/\blast week\b|先週/iu, -7, -1],
  [/\bnext week\b|来週/iu, 1, 7],
];

/** What time a text is about, told at `at`; a day is one of `timeZone`. null: it names none. */
export function aboutTimeOf(text: string, at: Date, timeZone: string): Annotation | null {
  const plain = text.slice(0, LOOKED_AT).normalize('NFKC');
  const told = Number(dayOf(at, timeZone).slice(0, 4));
  const years = yearsOf(plain, told);
  const lifeStage = lifeStageOf(plain.toLowerCase());
  const days = DAYS.find(([pattern]) => pattern.test(plain));
  if (years.length === 0 && lifeStage === '' && !days) return null;
  return {
    aboutStart: days ? startOfDay(addDays(dayOf(at, timeZone), days[1]), timeZone) : null,
    aboutEnd: days ? startOfDay(addDays(dayOf(at, timeZone), days[2] + 1), timeZone) : null,
    aboutYearStart: years.length > 0 ? Math.min(...years) : null,
    aboutYearEnd: years.length > 0 ? Math.max(...years) : null,
    lifeStage,
    confidence: years.length > 0 || days ? 0.8 : 0.5,
  };
}

function yearsOf(text: string, told: number): number[] {
  const named = NAMES_YEAR.test(text)
    ? [...text.matchAll(YEAR)].map(({ groups }) => Number(groups?.year))
    : [];
  const before = [...text.matchAll(YEARS_AGO)].map(({ groups }) => told - Number(groups?.years));
  const relative = AGO.filter(([pattern]) => pattern.test(text)).map(([, back]) => told - back);
  return [...named, ...before, ...relative].filter((year) => year >= 1_900 && year <= told + 50);
}

/** The first instant of a date in a time zone. */
export function startOfDay(day: string, timeZone: string): Date {
  // Noon of the day before is at most 26 hours from its end, wherever.
  let at = new Date(Date.parse(`${day}T12:00:00.000Z`) - DAY_MS);
  while (dayOf(at, timeZone) >= day) at = new Date(at.getTime() - DAY_MS / 2);
  for (;;) {
    const end = endOfDay(at, timeZone);
    if (dayOf(end, timeZone) >= day) return end;
    at = end;
  }
}
