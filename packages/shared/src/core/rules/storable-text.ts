/**
 * Whether Postgres can store it: text without U+0000 and without lone surrogates (UTF-8 would store U+FFFD).
 */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * Whether it can be a path that people read: well-formed, and without control characters (line ends,
 * escapes).
 */
export function isPathText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
