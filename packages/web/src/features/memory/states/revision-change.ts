import type { UpdateStateBody } from '@aizuchi/shared/contract/memory';
import { diffArrays } from 'diff';

/** What a state said at one time, as a revision keeps it. */
export interface Snapshot {
  readonly bodyText: string;
  readonly confidence: number;
  readonly validTo: string | null;
  /** What rules and models keep beside the text, as that a task is done. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** undefined: the state did not exist. */
export function readSnapshot(value: unknown): Snapshot | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { bodyText, confidence, validTo, payload } = value as Record<string, unknown>;
  if (typeof bodyText !== 'string') return undefined;
  return {
    bodyText,
    confidence: typeof confidence === 'number' ? confidence : 1,
    validTo: typeof validTo === 'string' ? validTo : null,
    payload: typeof payload === 'object' && payload !== null ? { ...payload } : {},
  };
}

/** The change that brings a state back to what it was; `after`: what has come of it since, as far as it is known. */
export function undoing(before: Snapshot, after: Snapshot): UpdateStateBody {
  const added = Object.keys(after.payload).filter((key) => !(key in before.payload));
  return {
    ...before,
    payload: { ...before.payload, ...Object.fromEntries(added.map((key) => [key, null])) },
  };
}

export interface TextPart {
  readonly text: string;
  /** The other side does not have it. */
  readonly isMarked: boolean;
}

export interface TextChange {
  readonly before: readonly TextPart[];
  readonly after: readonly TextPart[];
}

/** Texts that differ in more words than this are shown as a whole, without marks. */
const MAX_WORD_EDITS = 200;
const MAX_LENGTH = 4_000;

/** Both texts with the words that differ marked. Japanese has no spaces between words, so they are segmented. */
export function textChange(before: string, after: string): TextChange {
  const whole = { before: [plain(before)], after: [plain(after)] };
  if (before.length > MAX_LENGTH || after.length > MAX_LENGTH) return whole;
  const changes = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MAX_WORD_EDITS });
  if (!changes?.some(({ added, removed, value }) => !added && !removed && value.join('').trim() !== ''))
    return whole;
  const side = (isLeft: boolean) =>
    changes.flatMap(({ added, removed, value }): TextPart[] =>
      (isLeft ? added : removed) ? [] : [{ text: value.join(''), isMarked: added || removed }],
    );
  return { before: side(true), after: side(false) };
}

const words = new Intl.Segmenter('ja', { granularity: 'word' });

function wordsOf(text: string): string[] {
  return [...words.segment(text)].map(({ segment }) => segment);
}

function plain(text: string): TextPart {
  return { text, isMarked: false };
}
