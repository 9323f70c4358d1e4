import { z } from 'zod';
import { isStorableText } from '../core/rules/storable-text.ts';

// For the Coordinator, which knows the contract only.
export { beginningOf } from '../core/rules/storable-text.ts';

/**
 * Every interface validates with its schema after this check: a text with U+0000 or a lone surrogate is
 * refused, even where the schema allows any content.
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

/** An object or array that is being searched; data that is nested deeper than the stack is searched too. */
interface Place {
  readonly value: object;
  readonly key?: string;
  readonly parent?: Place;
}

/** The error names only the beginning of a path: a caller may nest as deep as its body is long. */
const PATH_LENGTH = 8;

/**
 * Linear in the size of the body, without an allocation for each text or number: the check runs before every
 * sign-in.
 */
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
