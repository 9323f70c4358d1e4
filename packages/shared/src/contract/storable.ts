import { z } from 'zod';
import { isStorableText } from '../domain/storable-text.ts';

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

interface Place {
  readonly value: unknown;
  readonly key?: string;
  readonly parent?: Place;
}

/** Without recursion: a body may be nested deeper than the stack. */
function pathToUnstorable(value: unknown): string[] | undefined {
  const open: Place[] = [{ value }];
  for (let place = open.pop(); place; place = open.pop()) {
    if (typeof place.value === 'string' && !isStorableText(place.value)) return pathOf(place);
    if (typeof place.value !== 'object' || place.value === null) continue;
    for (const [key, part] of Object.entries(place.value)) {
      if (!isStorableText(key)) return pathOf(place);
      open.push({ value: part, key, parent: place });
    }
  }
  return undefined;
}

function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}
