/** Whether Postgres can hold it: text has no U+0000, and UTF-8 no lone surrogate (it would be stored as U+FFFD). */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Whether it can be a path that people see: well-formed, and without control characters (line ends, escapes). */
export function isPathText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}
