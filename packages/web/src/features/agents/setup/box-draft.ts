import { type Agent, BOX_BOUNDS } from '@aizuchi/shared/contract/agent';

export type BoxField = keyof typeof BOX_BOUNDS;
export const BOX_FIELDS = ['memoryMb', 'cpus', 'processes'] as const satisfies readonly BoxField[];

/** Digits, with or without separators; empty: as the Coordinator sets it. */
export type BoxDraft = Readonly<Record<BoxField, string>>;

export function boxDraftOf({ limits = {} }: Pick<Agent, 'limits'>, locale: string): BoxDraft {
  const { memoryMb, cpus, processes } = limits;
  const text = (value: number | undefined) => value?.toLocaleString(locale) ?? '';
  return { memoryMb: text(memoryMb), cpus: text(cpus), processes: text(processes) };
}

/** One and a half processors must not become fifteen. */
export const FRACTION = /[.,]\d{1,2}\s*$/;

/** Null: empty. Undefined: it is no number that can be this limit. */
export function boxValueOf(draft: BoxDraft, field: BoxField): number | null | undefined {
  const typed = draft[field].normalize('NFKC');
  const text = typed.replace(/[\s,.'’_]/g, '');
  if (text === '') return null;
  if (FRACTION.test(typed)) return undefined;
  const [least, most] = BOX_BOUNDS[field];
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** What is stored: null when nothing is set. Undefined while a field is wrong. */
export function limitsOf(draft: BoxDraft): Agent['limits'] | null {
  const values = BOX_FIELDS.map((field) => [field, boxValueOf(draft, field)] as const);
  if (values.some(([, value]) => value === undefined)) return undefined;
  const set = values.filter(([, value]) => value !== null);
  return set.length === 0 ? null : Object.fromEntries(set);
}
