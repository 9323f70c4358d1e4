import type { MemoryState } from '@aizuchi/shared/contract/memory';

/** Whether a state is no longer, or not yet, or still valid at an instant. */
export function validityOf(
  { validFrom, validTo }: Pick<MemoryState, 'validFrom' | 'validTo'>,
  now: Date,
): 'over' | 'later' | 'valid' {
  if (validTo !== null && Date.parse(validTo) <= now.getTime()) return 'over';
  if (validFrom !== null && Date.parse(validFrom) > now.getTime()) return 'later';
  return 'valid';
}

/** The end of a local day, as the API has it; null for an empty field. */
export function endOfDay(day: string): string | null {
  if (day === '') return null;
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** The local day of an instant, for a date field. */
export function dayField(at: string | null): string {
  if (at === null) return '';
  const day = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(day.getFullYear()).padStart(4, '0')}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
