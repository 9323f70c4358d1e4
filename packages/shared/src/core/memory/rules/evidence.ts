/** What is known of more events keeps the first and the last of them. */
export const MOST_EVIDENCE = 40;

export function mergedEvidence(before: readonly string[], more: readonly string[]): string[] {
  const all = [...new Set([...before, ...more])];
  if (all.length <= MOST_EVIDENCE) return all;
  return [...all.slice(0, 1), ...all.slice(all.length - MOST_EVIDENCE + 1)];
}
