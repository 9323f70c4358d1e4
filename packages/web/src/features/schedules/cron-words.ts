import { type CronField, type CronFields, readFields } from './cron-fields.ts';

// Own words instead of cronstrue 3.39: its Japanese is not readable ("次において実施09:00、月曜日 から 金曜日 まで" for
// 平日 9:00), its English longer, and it takes 8.9 kB (gzip) instead of 2.2.

/** An expression with more single times than this gets no words: they would only be a list of numbers. */
const MAX_TIMES = 6;

/**
 * "At 9:00 on weekdays (Mon–Fri)", 「平日（月〜金）9:00」. Undefined if an expression cannot be described in few words; the
 * list of next times is clearer then.
 */
export function cronWords(cron: string, locale: string): string | undefined {
  const fields = readFields(cron);
  if (!fields) return undefined;
  const words = locale.startsWith('ja') ? JAPANESE : ENGLISH;
  const time = timeOf(fields, words);
  return time && words.sentence(time, dayOf(fields, words));
}

interface Words {
  readonly everyMinute: string;
  readonly everyMinutes: (step: number) => string;
  readonly everyHours: (step: number, minute: number) => string;
  readonly pastTheHour: (minutes: readonly number[]) => string;
  readonly atTimes: (times: readonly string[]) => string;
  readonly hourlyFrom: (from: string, to: string) => string;
  readonly within: (rate: string, from: string, to: string) => string;
  readonly weekdays: string;
  readonly weekend: string;
  readonly onWeekdays: (days: readonly number[]) => string;
  readonly onDays: (days: readonly number[], months: readonly number[] | undefined) => string;
  readonly inMonths: (months: readonly number[]) => string;
  readonly either: (one: string, other: string) => string;
  readonly sentence: (time: Time, day: string) => string;
}

interface Time {
  readonly text: string;
  /** "Every 15 minutes" needs no "every day". */
  readonly isRate: boolean;
}

function timeOf({ minute, hour }: CronFields, words: Words): Time | undefined {
  const rate =
    minute.kind === 'any'
      ? words.everyMinute
      : minute.kind === 'every' && 60 % minute.step === 0
        ? words.everyMinutes(minute.step)
        : undefined;
  if (rate !== undefined) {
    if (hour.kind === 'any') return { text: rate, isRate: true };
    const only = hour.kind === 'values' && hour.values.length === 1 ? hour.values[0] : undefined;
    const [from, to] = hour.kind === 'range' ? [hour.from, hour.to] : [only, only];
    if (from === undefined || to === undefined) return undefined;
    return { text: words.within(rate, clock(from, 0), clock(to, 59)), isRate: true };
  }
  if (minute.kind === 'any' || minute.values.length > MAX_TIMES) return undefined;
  if (hour.kind === 'any') return { text: words.pastTheHour(minute.values), isRate: true };
  const times = hour.values.flatMap((one) => minute.values.map((each) => clock(one, each)));
  if (times.length <= MAX_TIMES) return { text: words.atTimes(times), isRate: false };
  const [first] = minute.values;
  if (minute.values.length > 1 || first === undefined) return undefined;
  if (hour.kind === 'every' && 24 % hour.step === 0)
    return { text: words.everyHours(hour.step, first), isRate: true };
  if (hour.kind !== 'range') return undefined;
  return { text: words.hourlyFrom(clock(hour.from, first), clock(hour.to, first)), isRate: true };
}

function dayOf({ day, month, weekday }: CronFields, words: Words): string {
  const months = month.kind === 'any' ? undefined : month.values;
  const onDays = day.kind === 'any' ? undefined : words.onDays(day.values, months);
  const onWeekdays = weekday.kind === 'any' ? undefined : weekdaysOf(weekday, words);
  // As in cron: with both fields, a day matches when one of them does.
  if (onDays !== undefined) return onWeekdays === undefined ? onDays : words.either(onDays, onWeekdays);
  const inMonths = months && words.inMonths(months);
  if (onWeekdays === undefined) return inMonths ?? '';
  return inMonths === undefined ? onWeekdays : words.either(onWeekdays, inMonths);
}

function weekdaysOf({ values }: Exclude<CronField, { kind: 'any' }>, words: Words): string {
  const key = values.join();
  if (key === '1,2,3,4,5') return words.weekdays;
  return key === '0,6' ? words.weekend : words.onWeekdays(values);
}

function clock(hour: number, minute: number): string {
  return `${hour}:${String(minute).padStart(2, '0')}`;
}

/** 2026-02-01 is a Sunday. */
function weekdayName(day: number, locale: string, weekday: 'short' | 'long'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(Date.UTC(2026, 1, 1 + day));
}

function monthName(month: number): string {
  return new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, month - 1));
}

const enList = new Intl.ListFormat('en-GB', { type: 'conjunction' });

const ENGLISH: Words = {
  everyMinute: 'every minute',
  everyMinutes: (step) => `every ${step} minutes`,
  everyHours: (step, minute) =>
    `every ${step} hours${minute === 0 ? '' : `, at ${minute} ${plural(minute, 'minute')} past`}`,
  pastTheHour: (minutes) =>
    minutes.join() === '0'
      ? 'every hour, on the hour'
      : `every hour, at ${enList.format(minutes.map(String))} ${plural(minutes.at(-1) ?? 0, 'minute')} past`,
  atTimes: (times) => `at ${enList.format(times)}`,
  hourlyFrom: (from, to) => `every hour from ${from} to ${to}`,
  within: (rate, from, to) => `${rate} from ${from} to ${to}`,
  weekdays: 'on weekdays (Mon–Fri)',
  weekend: 'on weekends (Sat, Sun)',
  onWeekdays: (days) => `every ${enList.format(days.map((day) => weekdayName(day, 'en', 'long')))}`,
  onDays: (days, months) =>
    `on ${plural(days.length, 'day')} ${enList.format(days.map(String))} of ${
      months ? enList.format(months.map(monthName)) : 'every month'
    }`,
  inMonths: (months) => `in ${enList.format(months.map(monthName))}`,
  either: (one, other) => (other.startsWith('in ') ? `${one} ${other}` : `${one}, and ${other}`),
  sentence: ({ text, isRate }, day) => {
    const rest = day === '' && !isRate ? 'every day' : day;
    const sentence = [text, rest].filter(Boolean).join(isRate && rest !== '' ? ', ' : ' ');
    return sentence.charAt(0).toUpperCase() + sentence.slice(1);
  },
};

const JAPANESE: Words = {
  everyMinute: '毎分',
  everyMinutes: (step) => `${step} 分ごと`,
  everyHours: (step, minute) => `${step} 時間ごと${minute === 0 ? '' : `（${minute} 分）`}`,
  pastTheHour: (minutes) => `毎時 ${minutes.join('・')} 分`,
  atTimes: (times) => times.join('、'),
  hourlyFrom: (from, to) => `${from}〜${to} の 1 時間ごと`,
  within: (rate, from, to) => `${from}〜${to} の${rate === '毎分' ? '' : ' '}${rate}`,
  weekdays: '平日（月〜金）',
  weekend: '週末（土・日）',
  onWeekdays: (days) => `毎週${days.map((day) => weekdayName(day, 'ja', 'short')).join('・')}曜日`,
  onDays: (days, months) => `${months ? `毎年 ${months.join('・')} 月` : '毎月'} ${days.join('・')} 日`,
  inMonths: (months) => `${months.join('・')} 月`,
  either: (one, other) => (/^[\d・]+ 月$/.test(other) ? `${other}の${one}` : `${one}と${other}`),
  sentence: ({ text, isRate }, day) => {
    if (day === '') return isRate ? text : `毎日 ${text}`;
    return `${day}${/[）]$/.test(day) ? '' : ' '}${text}`;
  },
};

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
