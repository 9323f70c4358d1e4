/** In UTF-16 units; as much as file systems take of most scripts. */
const MAX_LENGTH = 120;
const MAX_EXTENSION = 16;

/** Unseen, or of another meaning in a line, a path or a header. */
const UNWANTED =
  /[\p{Cc}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800\u{FFF9}-\u{FFFC}]/gu;
const NOT_SHOWN = /(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/gu;
const SEPARATORS = /[\\/]/g;
const FORBIDDEN = /[<>:"|?*]/g;
const PILED_MARKS = /(\p{Mn}{4})\p{Mn}+/gu;
/** Names of devices, on Windows. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The name under which a file is shown and saved: the last part of a path, one line in NFC, without anything unseen or with
 * a meaning for a file system. `fallback` when nothing is left.
 */
export function cleanFileName(given: string, fallback: string): string {
  const last = given.split(SEPARATORS).findLast((part) => part.replace(UNWANTED, '').trim() !== '') ?? '';
  const name = last
    .normalize('NFD')
    .replace(PILED_MARKS, '$1')
    .normalize('NFC')
    .replace(UNWANTED, '')
    .replace(NOT_SHOWN, '')
    .replace(FORBIDDEN, '_')
    .replace(/\s+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  if (name === '') return fallback;
  return shortened(DEVICE.test(name) ? `_${name}` : name);
}

/** A long one keeps its extension. */
function shortened(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot) : '';
  return `${whole(name.slice(0, MAX_LENGTH - extension.length))}${extension}`;
}

/** Without half of a character at its end. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '').trimEnd();
}
