/** Whether Postgres can hold it: text has no U+0000, and UTF-8 no lone surrogate (it would be stored as U+FFFD). */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
