import { imageTypeOf } from './image-type.ts';

/** What a browser may show by itself. Never a type that can hold a script: svg and html are text here. */
const INLINE: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** Texts whose kind only the name tells. None of them is run by a browser. */
const TEXT_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
  markdown: 'text/markdown',
};

const MARKS: readonly (readonly [mark: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['PK\u0003\u0004', 'application/zip'],
  ['GIF8', 'image/gif'],
  ['\u001f\u008b', 'application/gzip'],
];

export const UNKNOWN_TYPE = 'application/octet-stream';

/** What the bytes are. The name decides only between kinds of text; what its sender says counts for nothing. */
export function mediaTypeOf(bytes: Uint8Array, name: string): string {
  const image = imageTypeOf(bytes);
  if (image !== undefined) return image;
  const begins = String.fromCharCode(...bytes.subarray(0, 8));
  const marked = MARKS.find(([mark]) => begins.startsWith(mark));
  if (marked) return marked[1];
  if (!isText(bytes)) return UNKNOWN_TYPE;
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(TEXT_TYPES, extension) && TEXT_TYPES[extension]) || 'text/plain';
}

export function isShownInline(mediaType: string): boolean {
  return INLINE.has(mediaType);
}

/** How an agent is given it. */
export function kindOf(mediaType: string): 'text' | 'image' | 'file' {
  if (isShownInline(mediaType)) return 'image';
  return mediaType.startsWith('text/') || mediaType === 'application/json' ? 'text' : 'file';
}

/** UTF-8 without control characters other than those of a text, and of a terminal. */
function isText(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte < 0x20 && !TEXT_CONTROLS.has(byte)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);
