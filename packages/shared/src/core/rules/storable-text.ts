/**
 * Whether Postgres can store it: text without U+0000 and without lone surrogates (UTF-8 would store U+FFFD).
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The beginning of a well-formed text, of at most so many UTF-16 units and never with half a character. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

/** The same of its end. */
export function endOf(text: string, length: number): string {
  return text.slice(Math.max(0, text.length - length)).replace(/^[\udc00-\udfff]/, '');
}

/** The text as it can be stored, whatever a file, a program or a model has put into it. Keeps the length. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}

/**
 * Whether it can be a path that people read: well-formed, and without control characters (line ends,
 * escapes).
 */
export function isPathText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
