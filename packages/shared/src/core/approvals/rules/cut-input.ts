import { beginningOf } from '../../rules/storable-text.ts';

/** An input that is nested deeper is refused. */
export const MAX_INPUT_DEPTH = 100;

/** Texts are shortened to at most this many UTF-16 units, in this order, until the input is small enough. */
const LENGTHS = [32_768, 8_192, 2_048, 512, 128];

export interface CutInput {
  readonly input: unknown;
  readonly isCut: boolean;
}

/**
 * Shortens the long texts of an input until its JSON has at most `bytes`; where something is left out, a text
 * says how much. Short values, such as a path, stay whole. An input of very many parts becomes the beginning
 * of its JSON, as one text.
 */
export function cutInput(input: unknown, bytes: number): CutInput {
  const json = JSON.stringify(input);
  if (byteLength(json) <= bytes) return { input, isCut: false };
  for (const length of LENGTHS) {
    const shorter = shorten(input, length);
    if (byteLength(JSON.stringify(shorter)) <= bytes) return { input: shorter, isCut: true };
  }
  // Escaped again, one unit takes at most six bytes.
  return { input: cutText(json, Math.floor(bytes / 6) - MARK_LENGTH), isCut: true };
}

/** Whether a value is nested deeper than MAX_INPUT_DEPTH. Does not go deeper itself. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth >= MAX_INPUT_DEPTH || Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

const MARK_LENGTH = 60;

function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = beginningOf(text, length);
  return `${kept}… (${text.length - kept.length} more characters were left out)`;
}

function shorten(value: unknown, length: number): unknown {
  if (typeof value === 'string') return cutText(value, length);
  if (Array.isArray(value)) return value.map((part) => shorten(part, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shorten(part, length)]));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
