import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';

/** A line of NDJSON by its schema; undefined: an empty line. */
export function parseLine<T>(
  bytes: Buffer,
  schema: z.ZodType<T>,
): { readonly value: T } | { readonly fault: string } | undefined {
  if (!isUtf8(bytes)) return { fault: 'not UTF-8' };
  // Some programs begin a file with a byte order mark.
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  if (text === '') return undefined;
  const value = parseJson(text);
  if (value === undefined) return { fault: 'not JSON' };
  const { data, error } = schema.safeParse(value);
  return error ? { fault: faultOf(error) } : { value: data };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller tells which line it was.
    return undefined;
  }
}

function faultOf({
  issues: [issue],
}: {
  issues: readonly { path: PropertyKey[]; message: string }[];
}): string {
  const path = issue?.path.map(String).join('.') ?? '';
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'not valid'}`.slice(0, 300);
}
