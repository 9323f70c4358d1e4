import { MONTHS } from './date-terms.ts';

/** A span of time that a question names; the end is exclusive. */
export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

export interface TimeHint {
  readonly spans: readonly TimeSpan[];
  readonly lifeStage: 'elementary' | 'middle' | 'high' | 'university' | 'work' | '';
}

/** Dates of JavaScript take two digits for a year of the last century. */
const MIN_YEAR = 1_000;
const DAY_MS = 86_400_000;
/** The zone of the one who asks is not known: any is less than a day from UTC. */
const ZONE_MS = DAY_MS / 2;
/** What happened on a day is often told on one of the next. */
const TOLD_LATER_MS = 3 * DAY_MS;
/** A month without a year is one of these last years. */
const YEARS_BACK = 3;

/** The times that a question names, Japanese or English, seen from `now`. */
export function timeHintOf(text: string, now: Date): TimeHint {
  const plain = text.normalize('NFKC').toLowerCase();
  const spans = [...namedSpans(plain, now), ...relativeSpans(plain, now)];
  return { spans: mergedSpans(spans.map(widened)), lifeStage: lifeStageOf(plain) };
}

/** Each span is a look into the index. A text that names more times is not about one of them. */
const MAX_SPANS = 12;

/** The same times without an instant in two of them, only the first named ones. */
export function mergedSpans(spans: readonly TimeSpan[]): TimeSpan[] {
  let merged: TimeSpan[] = [];
  for (const one of spans) {
    const apart = merged.filter(({ from, to }) => to < one.from || from > one.to);
    if (apart.length === MAX_SPANS) continue;
    const touched = [one, ...merged.filter((other) => !apart.includes(other))];
    const from = new Date(Math.min(...touched.map((each) => each.from.getTime())));
    const to = new Date(Math.max(...touched.map((each) => each.to.getTime())));
    merged = [...apart, { from, to }];
  }
  return merged;
}

/** The years that a plan names; one alone is the whole span. */
export function spansOfYears(start: number | null, end: number | null): TimeSpan[] {
  const [first, last] = [start ?? end, end ?? start];
  if (first === null || last === null || first < MIN_YEAR || last < first) return [];
  return [widened({ from: new Date(Date.UTC(first, 0, 1)), to: new Date(Date.UTC(last + 1, 0, 1)) })];
}

function widened({ from, to }: TimeSpan): TimeSpan {
  return { from: new Date(from.getTime() - ZONE_MS), to: new Date(to.getTime() + ZONE_MS + TOLD_LATER_MS) };
}

const MONTH_NAMES = MONTHS.map((name) => `${name}|${name.slice(0, 3)}`).join('|');
const YEAR = String.raw`(?<year>(?:19|20)\d{2})`;
/** A month alone is one only after a preposition: `may` and `march` are other words too. */
const NAMED = [
  String.raw`(?<![\d])${YEAR}[-/.](?<month>\d{1,2})(?:[-/.](?<day>\d{1,2}))?(?!\d)`,
  String.raw`${YEAR}\s*年\s*(?:(?<month>\d{1,2})\s*月)?\s*(?:(?<day>\d{1,2})\s*日)?`,
  String.raw`(?<!\d)(?<month>\d{1,2})\s*月\s*(?:(?<day>\d{1,2})\s*日)?`,
  String.raw`\b(?<day>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?(?<name>${MONTH_NAMES})\b\.?,?(?:\s+${YEAR})?`,
  String.raw`\b(?<name>${MONTH_NAMES})\b\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+${YEAR})?`,
  String.raw`\b(?<name>${MONTH_NAMES})\b\.?,?\s+(?:of\s+)?${YEAR}`,
  String.raw`\b(?:in|during|since|until|early|late|mid|last|this)[\s-]+(?<name>${MONTH_NAMES})\b`,
  String.raw`\b(?:in|during|since|of|year)\s+${YEAR}\b`,
].map((source) => new RegExp(source, 'gu'));

function namedSpans(text: string, now: Date): TimeSpan[] {
  const spans: TimeSpan[] = [];
  let rest = text;
  for (const pattern of NAMED)
    rest = rest.replace(pattern, (match, ...args: unknown[]) => {
      spans.push(...spansOfGroups(groupsOf(args.at(-1)), now));
      // What is read is not read again by a shorter pattern.
      return '\n'.repeat(match.length);
    });
  return spans;
}

interface NamedTime {
  readonly year: number | null;
  readonly month: number | null;
  readonly day: number | null;
}

function groupsOf(groups: unknown): NamedTime {
  const of = (key: string): string | undefined => {
    if (typeof groups !== 'object' || groups === null || !(key in groups)) return undefined;
    const value: unknown = Reflect.get(groups, key);
    return typeof value === 'string' ? value : undefined;
  };
  const number = (value: string | undefined) => (value === undefined ? null : Number(value));
  const name = of('name')?.slice(0, 3);
  const month =
    name === undefined ? number(of('month')) : MONTHS.findIndex((one) => one.startsWith(name)) + 1;
  return { year: number(of('year')), month, day: number(of('day')) };
}

function spansOfGroups({ year, month, day }: NamedTime, now: Date): TimeSpan[] {
  if (month !== null && (month < 1 || month > 12)) return [];
  if (day !== null && (day < 1 || day > 31)) return [];
  const years =
    year === null ? Array.from({ length: YEARS_BACK }, (_, back) => now.getUTCFullYear() - back) : [year];
  return years.map((each) => {
    if (month === null) return span(Date.UTC(each, 0), Date.UTC(each + 1, 0));
    if (day === null) return span(Date.UTC(each, month - 1), Date.UTC(each, month));
    const from = Date.UTC(each, month - 1, day);
    return span(from, from + DAY_MS);
  });
}

/** Days from and to, before today (negative: before). */
const RELATIVE: readonly (readonly [RegExp, from: number, to: number])[] = [
  [/\btoday\b|今日|きょう|本日/, 0, 1],
  [/\byesterday\b|昨日|きのう/, -1, 0],
  [/day before yesterday|一昨日|おととい/, -2, -1],
  [/\blast week\b|先週/, -13, 0],
  [/\bthis week\b|今週/, -6, 1],
  [/\blast weekend\b|先週末|この前の週末/, -8, 0],
  [/\blast month\b|先月/, -61, 0],
  [/\bthis month\b|今月/, -31, 1],
  [/\brecent(?:ly)?\b|\blately\b|最近|この頃|このごろ/, -30, 1],
];
const YEARS_AGO: readonly (readonly [RegExp, number])[] = [
  [/\blast year\b|去年|昨年/, 1],
  [/\bthis year\b|今年/, 0],
  [/\byear before last\b|一昨年|おととし/, 2],
];
const AGO =
  /(?<n>\d{1,3})\s*(?:(?<days>days?|日)|(?<weeks>weeks?|週間)|(?<months>months?|[かヶケ]月)|(?<years>years?|年))\s*(?:ago|前)/g;

function relativeSpans(text: string, now: Date): TimeSpan[] {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const days = RELATIVE.filter(([pattern]) => pattern.test(text)).map(([, from, to]) =>
    span(today + from * DAY_MS, today + to * DAY_MS),
  );
  const years = YEARS_AGO.filter(([pattern]) => pattern.test(text)).map(([, back]) => {
    const year = now.getUTCFullYear() - back;
    return span(Date.UTC(year, 0), Date.UTC(year + 1, 0));
  });
  const ago = [...text.matchAll(AGO)].map(({ groups = {} }) => {
    const unit = groups.days ? 1 : groups.weeks ? 7 : groups.months ? 30 : 365;
    const at = today - Number(groups.n) * unit * DAY_MS;
    // The longer ago, the less exactly it is meant.
    return span(at - (unit / 2) * DAY_MS, at + (1 + unit / 2) * DAY_MS);
  });
  return [...days, ...years, ...ago];
}

function span(from: number, to: number): TimeSpan {
  return { from: new Date(from), to: new Date(to) };
}

const LIFE_STAGES = [
  ['elementary', /小学|elementary school|primary school/],
  ['middle', /中学|middle school|junior high/],
  ['high', /高校|高等学校|(?<!junior )high school/],
  ['university', /大学|university|college/],
  ['work', /社会人|仕事|職場|at work|my job/],
] as const;

export function lifeStageOf(text: string): TimeHint['lifeStage'] {
  return LIFE_STAGES.find(([, pattern]) => pattern.test(text))?.[0] ?? '';
}
