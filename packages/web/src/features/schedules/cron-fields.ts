/** A field that can be put into words: any, every n-th of all, one unbroken range, or single values in order. */
export type CronField =
  | { readonly kind: 'any' }
  | { readonly kind: 'every'; readonly step: number; readonly values: readonly number[] }
  | { readonly kind: 'range'; readonly from: number; readonly to: number; readonly values: readonly number[] }
  | { readonly kind: 'values'; readonly values: readonly number[] };

export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly day: CronField;
  readonly month: CronField;
  readonly weekday: CronField;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Undefined for what has no simple words (L, W, #) and for invalid expressions; croner decides which are valid. */
export function readFields(cron: string): CronFields | undefined {
  const text = cron.trim().toLowerCase();
  const parts = (NICKNAMES[text] ?? text).split(/\s+/);
  if (parts.length !== 5) return undefined;
  const [minute, hour, day, month, weekday] = [
    readField(parts[0], 0, 59),
    readField(parts[1], 0, 23),
    readField(parts[2], 1, 31),
    readField(parts[3], 1, 12, MONTHS, 1),
    readField(parts[4], 0, 7, WEEKDAYS, 0),
  ];
  if (!minute || !hour || !day || !month || !weekday) return undefined;
  return { minute, hour, day, month, weekday: withoutSeven(weekday) };
}

function readField(
  part: string | undefined,
  min: number,
  max: number,
  names: readonly string[] = [],
  firstName = 0,
): CronField | undefined {
  if (part === undefined) return undefined;
  if (part === '*' || part === '?' || part === '*/1') return { kind: 'any' };
  const toNumber = (text: string) => {
    const name = names.indexOf(text);
    if (name >= 0) return name + firstName;
    return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  };
  const step = /^\*\/(\d{1,2})$/.exec(part)?.[1];
  if (step !== undefined) {
    const values = rangeValues(min, max, Number(step));
    return values && { kind: 'every', step: Number(step), values };
  }
  const values = new Set<number>();
  const items = part.split(',');
  for (const item of items) {
    const [range = '', stepText = '1'] = item.split('/');
    const [from = '', to = from] = range.split('-');
    const [first, last] = [toNumber(from), toNumber(to)];
    if (!(first >= min && last <= max)) return undefined;
    const found = rangeValues(first, last, Number(stepText));
    if (!found) return undefined;
    for (const value of found) values.add(value);
  }
  const sorted = [...values].sort((a, b) => a - b);
  const [from = min, to = from] = [sorted[0], sorted.at(-1)];
  if (items.length === 1 && sorted.length > 2 && to - from === sorted.length - 1)
    return { kind: 'range', from, to, values: sorted };
  return { kind: 'values', values: sorted };
}

function rangeValues(from: number, to: number, step: number): readonly number[] | undefined {
  if (!(step > 0 && from <= to)) return undefined;
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

/** Sunday is 0 and 7. */
function withoutSeven(field: CronField): CronField {
  if (field.kind === 'any') return field;
  const values = [...new Set(field.values.map((value) => value % 7))].sort((a, b) => a - b);
  if (values.length === 7) return { kind: 'any' };
  return field.values.includes(7) ? { kind: 'values', values } : { ...field, values };
}
