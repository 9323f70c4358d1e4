import { z } from 'zod';
import { singleLineFault, tidyLine } from '../core/agents/rules/single-line.ts';
import { isStorableText } from '../core/rules/storable-text.ts';

/** Names that have another meaning in a sender, receiver or target field. */
const RESERVED_IDS = new Set(['user', 'system', 'agent', 'human', 'me', 'all', 'none']);

/** An id as given or generated: `^[a-z][a-z0-9_-]{1,63}$`, not reserved. */
export const idSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{1,63}$/, 'an id is 2–64 characters of a–z, 0–9, _ and -, and begins with a letter')
  .refine((id) => !RESERVED_IDS.has(id), 'this id is reserved');

/** An id inside a path or query; a reserved or malformed one is answered like an unknown one. */
export const idParamSchema = z.string().min(1).max(200);

/** ISO-8601 UTC with milliseconds. */
export const instantSchema = z.iso.datetime({ precision: 3 });

/** Counts Unicode code points and not UTF-16 units, because people count characters. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Text that is trimmed first and then has `min` to `max` code points. */
export function textSchema(min: number, max: number) {
  return z
    .string()
    .trim()
    .refine((text) => codePointLength(text) >= min, `at least ${min} character${min === 1 ? '' : 's'}`)
    .refine((text) => text.length <= max || codePointLength(text) <= max, `at most ${max} characters`)
    .refine(isStorableText, 'not a valid text');
}

/**
 * A name, title, label or role: one line of 1–`max` code points without hidden characters, stored in one
 * spelling (NFC, one space in place of several).
 */
export function lineSchema(max: number) {
  return (
    z
      .string()
      .trim()
      .refine((text) => text !== '', 'at least 1 character')
      // Checked before the text is searched: a body may be large.
      .refine((text) => text.length <= max || codePointLength(text) <= max, {
        error: `at most ${max} characters`,
        abort: true,
      })
      .superRefine((text, context) => {
        const fault = singleLineFault(text);
        if (fault !== undefined)
          context.addIssue({
            code: 'custom',
            message: `must not hold ${fault}`,
            params: { reason: 'not_one_line' },
          });
      })
      .overwrite(tidyLine)
  );
}

/** `limit` of every list: 1–200, 50 when absent. */
export const limitSchema = z.coerce.number().int().min(1).max(200).default(50);
