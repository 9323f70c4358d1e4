import { z } from 'zod';
import { isStorableText } from '../core/rules/storable-text.ts';

/**
 * Every way in reads by its schema behind this: whatever a caller sends, no text with U+0000 or a lone surrogate gets
 * further, not even where the schema leaves the inside open.
 */
export function storable<S extends z.ZodType>(schema: S) {
  return z
    .unknown()
    .superRefine((value, context) => {
      const path = pathToUnstorable(value);
      if (path) context.addIssue({ code: 'custom', path, message: 'not a valid text' });
    })
    .pipe(schema);
}

/** An object or array on the way down; what is nested deeper than the stack is walked all the same. */
interface Place {
  readonly value: object;
  readonly key?: string;
  readonly parent?: Place;
}

/** Of a path only its beginning is told: a caller may nest as deep as its body is long. */
const PATH_LENGTH = 8;

/** Linear in what was sent, without an allocation for each text or number: the check stands before every sign-in. */
function pathToUnstorable(value: unknown): string[] | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : [];
  if (!isObject(value)) return undefined;
  const open: Place[] = [{ value }];
  for (let place = open.pop(); place; place = open.pop()) {
    const path = Array.isArray(place.value)
      ? lookInList(place, place.value, open)
      : lookInObject(place, open);
    if (path) return path;
  }
  return undefined;
}

function lookInList(place: Place, list: readonly unknown[], open: Place[]): string[] | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const part = list[index];
    if (typeof part === 'string' && !isStorableText(part)) return pathOf(place, String(index));
    if (isObject(part)) open.push({ value: part, key: String(index), parent: place });
  }
  return undefined;
}

function lookInObject(place: Place, open: Place[]): string[] | undefined {
  for (const key of Object.keys(place.value)) {
    if (!isStorableText(key)) return pathOf(place);
    const part: unknown = Reflect.get(place.value, key);
    if (typeof part === 'string' && !isStorableText(part)) return pathOf(place, key);
    if (isObject(part)) open.push({ value: part, key, parent: place });
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function pathOf(place: Place, last?: string): string[] {
  const path = last === undefined ? [] : [last];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.reverse().slice(0, PATH_LENGTH);
}
