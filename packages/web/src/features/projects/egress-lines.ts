/** The entries of what a person has typed, one a line; also from a list with commas. As they are stored: in lower case. */
export function egressEntriesIn(text: string): string[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return [...new Set(entries.map((entry) => entry.toLowerCase()))];
}
