/** About how many tokens of a model a text has: a character of Chinese or Japanese is one, four of Latin are one. */
export function tokensIn(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += character.charCodeAt(0) < 0x2e80 ? 0.25 : 1;
  return Math.ceil(tokens);
}

/** The beginning of a text that has at most so many tokens. */
export function cutToTokens(text: string, most: number): string {
  if (tokensIn(text) <= most) return text;
  let tokens = 0;
  let end = 0;
  for (const character of text) {
    tokens += character.charCodeAt(0) < 0x2e80 ? 0.25 : 1;
    if (tokens > most - 1) break;
    end += character.length;
  }
  return `${text.slice(0, end)}…`;
}

/** As many of these, in their order, as fit into the budget; one that does not fit is left out, a shorter one may follow. */
export function packed<T extends { readonly text: string }>(items: readonly T[], budget: number): T[] {
  let left = budget;
  return items.filter(({ text }) => {
    const tokens = tokensIn(text);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}
